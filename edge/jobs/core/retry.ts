// When a job that failed comes again.
import type { ConcurrencyManagerConfig } from './config.ts'

/** `attempt`: the one that failed, from 1; `roll` in [0, 1). Chance only shortens, so that `maxDelay` is the longest. */
export function retryDelayMs(retry: ConcurrencyManagerConfig['retry'], attempt: number, roll: number): number {
  const { backoff, baseDelay, maxDelay, jitter } = retry
  // Beyond 2^40 it is the longest anyway, and stays a number.
  const grown = backoff === 'fixed' ? baseDelay : baseDelay * 2 ** Math.min(attempt - 1, 40)
  return Math.round(Math.min(grown, maxDelay) * (1 - jitter * roll))
}
