// When to stop writing to the sessions of a topic while publishing: pure, one per topic.
//   closed ─5 batches in a row with failures→ open ─60 s→ half-open ─any success→ closed
//                                              ▲──────── only failures ─┘
// What is not written meanwhile is owed, not lost: the alarm catches up (SUB-5).
import { CIRCUIT_BREAKER_FAILURE_THRESHOLD, CIRCUIT_BREAKER_RECOVERY_MS } from '../constants.ts'

export type Breaker =
  | { phase: 'closed'; failedBatches: number }
  | { phase: 'open'; untilMs: number }
  /** One attempt is under way; others wait for what becomes of it. */
  | { phase: 'half-open' }

export type BatchResult = { successes: number; failures: number }

export const CLOSED: Breaker = { phase: 'closed', failedBatches: 0 }

/** Whether an attempt may be made now, and the state in which it is made. */
export function ask(breaker: Breaker, nowMs: number): { breaker: Breaker; admitted: boolean } {
  if (breaker.phase === 'closed') return { breaker, admitted: true }
  if (breaker.phase === 'half-open' || nowMs < breaker.untilMs) return { breaker, admitted: false }
  return { breaker: { phase: 'half-open' }, admitted: true }
}

export function record(
  breaker: Breaker,
  { successes, failures }: BatchResult,
  nowMs: number,
  recoveryMs = CIRCUIT_BREAKER_RECOVERY_MS,
): Breaker {
  const opened: Breaker = { phase: 'open', untilMs: nowMs + recoveryMs }
  if (failures === 0) return CLOSED
  if (breaker.phase === 'half-open') return successes > 0 ? CLOSED : opened
  // An attempt from before the opening: it is already paid for.
  if (breaker.phase === 'open') return breaker
  const failedBatches = breaker.failedBatches + 1
  return failedBatches >= CIRCUIT_BREAKER_FAILURE_THRESHOLD ? opened : { phase: 'closed', failedBatches }
}
