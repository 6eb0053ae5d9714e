// When to stop trying a connection that keeps failing, and when to try it again. Decides only: opens nothing, reads no
// clock; the caller brings `now` and a `roll` in [0, 1) inside the signal.
//   closed ─3 failures in a row→ open ─time is up, asked→ half-open ─success→ closed
//                                 ▲────────3 failed probes──────┘
// Success means that an event arrived. Being told to wait (Retry-After) is an instruction and counts as neither.

export const FAILURE_THRESHOLD = 3
export const HALF_OPEN_MAX_REQUESTS = 5
/** So many failed probes are enough to rest again. */
export const HALF_OPEN_FAILURES = 3
export const OPEN_MS = 60_000
export const OPEN_MAX_MS = 600_000
/** Of the rest, added at random: a crowd that broke together must not come back together. */
export const OPEN_JITTER = 0.5

export type CircuitBreaker =
  | { phase: 'closed'; failures: number; notBefore: number }
  | { phase: 'open'; openings: number; until: number }
  | { phase: 'half-open'; openings: number; probes: number; failed: number; notBefore: number }

export type BreakerSignal =
  | { type: 'ask'; now: number }
  | { type: 'success' }
  | { type: 'failure'; now: number; roll: number }
  | { type: 'told-to-wait'; until: number }

/** The answer to `ask`. `until` is null when only an outcome of the probes under way can change it. */
export type BreakerEffect = { do: 'admit' } | { do: 'refuse'; until: number | null }
export type BreakerStep = { state: CircuitBreaker; effects: BreakerEffect[] }

export const CLOSED: CircuitBreaker = { phase: 'closed', failures: 0, notBefore: 0 }

const to = (state: CircuitBreaker, ...effects: BreakerEffect[]): BreakerStep => ({ state, effects })

export function openForMs(openings: number, roll: number): number {
  const base = Math.min(OPEN_MS * 2 ** (openings - 1), OPEN_MAX_MS)
  return Math.round(base * (1 + OPEN_JITTER * roll))
}

const opened = (openings: number, now: number, roll: number): CircuitBreaker => ({
  phase: 'open',
  openings,
  until: now + openForMs(openings, roll),
})

export function stepBreaker(state: CircuitBreaker, signal: BreakerSignal): BreakerStep {
  switch (signal.type) {
    case 'ask':
      return ask(state, signal.now)
    case 'success':
      return to(state.phase === 'closed' && state.failures === 0 && state.notBefore === 0 ? state : CLOSED)
    case 'failure':
      return to(fail(state, signal.now, signal.roll))
    case 'told-to-wait':
      return to(wait(state, signal.until))
  }
}

function ask(state: CircuitBreaker, now: number): BreakerStep {
  switch (state.phase) {
    case 'closed':
      return now < state.notBefore ? to(state, { do: 'refuse', until: state.notBefore }) : to(state, { do: 'admit' })
    case 'open':
      if (now < state.until) return to(state, { do: 'refuse', until: state.until })
      return to({ phase: 'half-open', openings: state.openings, probes: 1, failed: 0, notBefore: 0 }, { do: 'admit' })
    case 'half-open':
      if (now < state.notBefore) return to(state, { do: 'refuse', until: state.notBefore })
      if (state.probes >= HALF_OPEN_MAX_REQUESTS) return to(state, { do: 'refuse', until: null })
      return to({ ...state, probes: state.probes + 1 }, { do: 'admit' })
  }
}

function fail(state: CircuitBreaker, now: number, roll: number): CircuitBreaker {
  switch (state.phase) {
    case 'closed': {
      const failures = state.failures + 1
      return failures >= FAILURE_THRESHOLD ? opened(1, now, roll) : { ...state, failures }
    }
    case 'open':
      // A try from before the opening: it is already paid for.
      return state
    case 'half-open': {
      const failed = state.failed + 1
      return failed >= HALF_OPEN_FAILURES ? opened(state.openings + 1, now, roll) : { ...state, failed }
    }
  }
}

function wait(state: CircuitBreaker, until: number): CircuitBreaker {
  switch (state.phase) {
    case 'closed':
      return { ...state, notBefore: Math.max(state.notBefore, until) }
    case 'open':
      return { ...state, until: Math.max(state.until, until) }
    case 'half-open':
      // The probe was neither lost nor won, so it is handed back.
      return { ...state, probes: Math.max(0, state.probes - 1), notBefore: Math.max(state.notBefore, until) }
  }
}

/** The earliest moment a try may be admitted, for people to read; null when it is now or unknown. */
export function nextTryAt(state: CircuitBreaker): number | null {
  if (state.phase === 'open') return state.until
  return state.notBefore === 0 ? null : state.notBefore
}
