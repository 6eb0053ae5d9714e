// Tells a dependency that is down as a whole from single pieces of work that fail. It opens when several different ones
// have failed and none has succeeded since; one that fails again and again alone opens nothing and uses up its tries.
//   closed ─5 different failures without a success→ open ─rested, asked→ probing ─success→ closed
//                                                     ▲──────────failure──────────┘
// Decides only; the caller brings time and chance.

export const BREAKER_FAILURES = 5
export const BREAKER_REST_MS = 2_000
/** Short enough that everything moves within half a minute after a dependency is back. */
export const BREAKER_REST_MAX_MS = 30_000
const JITTER = 0.3

export type HandlerBreaker =
  | { phase: 'closed'; failed: readonly string[] }
  | { phase: 'open'; openings: number; until: number }
  | { phase: 'probing'; openings: number; since: number }

export const CLOSED_BREAKER: HandlerBreaker = { phase: 'closed', failed: [] }

/** How many pieces may be tried now. A probe that never reports back (`probeLimitMs`) does not block the next one. */
export function admits(
  state: HandlerBreaker,
  now: number,
  wanted: number,
  probeLimitMs: number,
): { state: HandlerBreaker; count: number } {
  if (wanted === 0 || state.phase === 'closed') return { state, count: wanted }
  const ready = state.phase === 'open' ? now >= state.until : now >= state.since + probeLimitMs
  return ready ? { state: { phase: 'probing', openings: state.openings, since: now }, count: 1 } : { state, count: 0 }
}

export const succeeded = (state: HandlerBreaker): HandlerBreaker =>
  state.phase === 'closed' && state.failed.length === 0 ? state : CLOSED_BREAKER

/** `work` names the piece, so that the same one failing twice counts once. */
export function failed(state: HandlerBreaker, work: string, now: number, roll: number): HandlerBreaker {
  switch (state.phase) {
    case 'closed': {
      if (state.failed.includes(work)) return state
      const all = [...state.failed, work]
      return all.length < BREAKER_FAILURES ? { phase: 'closed', failed: all } : opened(1, now, roll)
    }
    case 'open':
      // Was under way when it opened.
      return state
    case 'probing':
      return opened(state.openings + 1, now, roll)
  }
}

function opened(openings: number, now: number, roll: number): HandlerBreaker {
  const rest = Math.min(BREAKER_REST_MS * 2 ** (openings - 1), BREAKER_REST_MAX_MS)
  return { phase: 'open', openings, until: now + Math.round(rest * (1 - JITTER + 2 * JITTER * roll)) }
}

/** How long work is held from now on; null when it is not. */
export function heldForMs(state: HandlerBreaker, now: number): number | null {
  switch (state.phase) {
    case 'closed':
      return null
    case 'open':
      return Math.max(0, state.until - now)
    case 'probing':
      return BREAKER_REST_MS
  }
}
