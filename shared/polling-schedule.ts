// When to ask for news while there is no live connection. Decides only; the runner owns the timer and the request.
//   idle ─start→ waiting ─due→ asking ─answered or failed→ waiting …      any ─stop→ idle
// The first poll comes after a random 0–10 s, because many clients usually lose the same server at the same moment.

export const FIRST_POLL_MAX_MS = 10_000
export const POLL_MS = 5_000
export const POLL_JITTER = 0.3
export const POLL_HIDDEN_MS = 60_000
/** Failed polls wait longer each time, up to this. */
export const POLL_MAX_MS = 60_000

export type PollingSchedule =
  | { phase: 'idle' }
  | { phase: 'waiting'; at: number; notBefore: number; failures: number }
  | { phase: 'asking'; failures: number }

export type PollSignal =
  | { type: 'start'; now: number; roll: number }
  | { type: 'stop' }
  | { type: 'due'; now: number }
  | { type: 'answered'; now: number; roll: number; hidden: boolean }
  | { type: 'failed'; now: number; roll: number; hidden: boolean; retryAfterMs: number | null }
  /** A poll is wanted as soon as the server allows. */
  | { type: 'hurry'; now: number }
  | { type: 'shown'; now: number; roll: number }
  | { type: 'hidden'; now: number; roll: number }

export type PollEffect = { do: 'ask' } | { do: 'wake'; at: number } | { do: 'sleep' }
export type PollStep = { state: PollingSchedule; effects: PollEffect[] }

export const IDLE: PollingSchedule = { phase: 'idle' }

const to = (state: PollingSchedule, ...effects: PollEffect[]): PollStep => ({ state, effects })
const waiting = (at: number, notBefore: number, failures: number): PollStep =>
  to({ phase: 'waiting', at, notBefore, failures }, { do: 'wake', at })

export function pollDelayMs(roll: number, hidden: boolean, failures: number): number {
  const base = hidden ? POLL_HIDDEN_MS : Math.min(POLL_MS * 2 ** failures, POLL_MAX_MS)
  return Math.round(base * (1 + POLL_JITTER * roll))
}

export function stepPolling(state: PollingSchedule, signal: PollSignal): PollStep {
  switch (signal.type) {
    case 'start':
      if (state.phase !== 'idle') return to(state)
      return waiting(signal.now + Math.round(FIRST_POLL_MAX_MS * signal.roll), 0, 0)
    case 'stop':
      return state.phase === 'idle' ? to(state) : to(IDLE, { do: 'sleep' })
    case 'due':
      if (state.phase !== 'waiting') return to(state)
      if (signal.now < state.at) return to(state, { do: 'wake', at: state.at })
      return to({ phase: 'asking', failures: state.failures }, { do: 'ask' })
    case 'answered':
      if (state.phase !== 'asking') return to(state)
      return waiting(signal.now + pollDelayMs(signal.roll, signal.hidden, 0), 0, 0)
    case 'failed': {
      if (state.phase !== 'asking') return to(state)
      const failures = signal.retryAfterMs === null ? state.failures + 1 : state.failures
      const notBefore = signal.retryAfterMs === null ? 0 : signal.now + signal.retryAfterMs
      return waiting(
        Math.max(signal.now + pollDelayMs(signal.roll, signal.hidden, failures), notBefore),
        notBefore,
        failures,
      )
    }
    case 'hurry':
      if (state.phase === 'idle') return waiting(signal.now, 0, 0)
      return moved(state, signal.now, Math.min)
    case 'shown':
      return moved(state, signal.now + Math.round(POLL_MS * signal.roll), Math.min)
    case 'hidden':
      return moved(state, signal.now + pollDelayMs(signal.roll, true, 0), Math.max)
  }
}

/** Someone looks again, or nobody does: the next poll moves, but never before the moment the server named. */
function moved(state: PollingSchedule, at: number, pick: (a: number, b: number) => number): PollStep {
  if (state.phase !== 'waiting') return to(state)
  const moment = Math.max(pick(state.at, at), state.notBefore)
  return moment === state.at ? to(state) : waiting(moment, state.notBefore, state.failures)
}
