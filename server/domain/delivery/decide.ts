// What becomes of a piece of work that failed: another try, a rest while its dependency is down, or the dead letters.
import { type FailureClass, RETRY_CONFIGS } from './failure.ts'
import { BREAKER_REST_MAX_MS } from './handler-breaker.ts'

export type Decision =
  | { do: 'retry'; attempts: number; waitMs: number }
  /** Uses up no attempt. */
  | { do: 'hold'; waitMs: number }
  | { do: 'dead'; attempts: number }

const JITTER = 0.3
/** Between looks at a dependency that has given no sign of life; as the longest rest of a breaker. */
const QUIET_REST_MS = BREAKER_REST_MAX_MS
/** However long somebody asks us to wait. */
const ASKED_MAX_MS = 600_000

/** `failures` is 1 after the first try that failed; `roll` in [0, 1) moves the wait up to 30 % either way. */
export function backoffMs(failureClass: FailureClass, failures: number, roll: number): number {
  const { baseMs, factor, capMs } = RETRY_CONFIGS[failureClass]
  return jittered(Math.min(baseMs * factor ** (failures - 1), capMs), roll)
}

const jittered = (ms: number, roll: number): number => Math.round(ms * (1 - JITTER + 2 * JITTER * roll))

export function decide(failure: {
  class: FailureClass
  /** Tries that counted so far, without this one. */
  attempts: number
  /** How long the handler's breaker stays open after this failure; null when it is closed. */
  heldForMs: number | null
  /** The handler has done something since this piece last failed: its dependency is there. */
  alive: boolean
  askedToWaitMs: number | null
  roll: number
}): Decision {
  const attempts = failure.attempts + 1
  // What is wrong in itself stays wrong, whatever state its dependency is in.
  if (failure.class === 'permanent') return { do: 'dead', attempts }
  if (failure.heldForMs !== null) return { do: 'hold', waitMs: failure.heldForMs }
  if (attempts >= RETRY_CONFIGS[failure.class].deliveries) {
    // Too little traffic to open a breaker is no proof that this piece is to blame: its last try waits for a sign of life.
    if (!failure.alive) return { do: 'hold', waitMs: jittered(QUIET_REST_MS, failure.roll) }
    return { do: 'dead', attempts }
  }
  const wait = backoffMs(failure.class, attempts, failure.roll)
  return { do: 'retry', attempts, waitMs: Math.max(wait, Math.min(failure.askedToWaitMs ?? 0, ASKED_MAX_MS)) }
}
