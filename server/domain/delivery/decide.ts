// What becomes of a piece of work that failed: another try, a rest while its dependency is down, or the dead letters.
import { type FailureClass, RETRY_CONFIGS } from './failure.ts'

export type Decision =
  | { do: 'retry'; attempts: number; waitMs: number }
  /** Uses up no attempt. */
  | { do: 'hold'; waitMs: number }
  | { do: 'dead'; attempts: number }

const JITTER = 0.3
/** However long somebody asks us to wait. */
const ASKED_MAX_MS = 600_000

/** `failures` is 1 after the first try that failed; `roll` in [0, 1) moves the wait up to 30 % either way. */
export function backoffMs(failureClass: FailureClass, failures: number, roll: number): number {
  const { baseMs, factor, capMs } = RETRY_CONFIGS[failureClass]
  const wait = Math.min(baseMs * factor ** (failures - 1), capMs)
  return Math.round(wait * (1 - JITTER + 2 * JITTER * roll))
}

export function decide(failure: {
  class: FailureClass
  /** Tries that counted so far, without this one. */
  attempts: number
  /** How long the handler's breaker stays open after this failure; null when it is closed. */
  heldForMs: number | null
  askedToWaitMs: number | null
  roll: number
}): Decision {
  const attempts = failure.attempts + 1
  // What is wrong in itself stays wrong, whatever state its dependency is in.
  if (failure.class === 'permanent') return { do: 'dead', attempts }
  if (failure.heldForMs !== null) return { do: 'hold', waitMs: failure.heldForMs }
  if (attempts >= RETRY_CONFIGS[failure.class].deliveries) return { do: 'dead', attempts }
  const wait = backoffMs(failure.class, attempts, failure.roll)
  return { do: 'retry', attempts, waitMs: Math.max(wait, Math.min(failure.askedToWaitMs ?? 0, ASKED_MAX_MS)) }
}
