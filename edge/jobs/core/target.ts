// The breaker of a lane: what an attempt says about its target, and how long the lane is held back by it.
import { type CircuitBreaker, stepBreaker } from '#shared/circuit-breaker.ts'
import type { Verdict } from './outcome.ts'

/** Null: nothing to remember. */
export const kept = (breaker: CircuitBreaker): CircuitBreaker | null =>
  breaker.phase === 'closed' && breaker.failures === 0 && breaker.notBefore === 0 ? null : breaker

/** What an attempt says about its target, which is not the same as what it says about the job. */
export function stepTarget(
  breaker: CircuitBreaker,
  verdict: Verdict,
  { now, roll }: { now: number; roll: number },
): CircuitBreaker {
  if (verdict.is === 'retry' && verdict.targetDown) return stepBreaker(breaker, { type: 'failure', now, roll }).state
  if (verdict.is === 'egress-down' || verdict.is === 'lease-lost')
    // Nothing was learnt; a probe is handed back.
    return breaker.phase === 'half-open' ? stepBreaker(breaker, { type: 'told-to-wait', until: now }).state : breaker
  return stepBreaker(breaker, { type: 'success' }).state
}

/** As in LaneView: until when, null while only an outcome can tell. */
export function heldBy(breaker: CircuitBreaker): number | null {
  if (breaker.phase === 'open') return breaker.until
  const { effects } = stepBreaker(breaker, { type: 'ask', now: Number.MAX_SAFE_INTEGER })
  return effects[0]?.do === 'admit' ? breaker.notBefore : null
}
