// A bucket of tokens that fills at a steady rate: a burst passes at once, after that the rate holds.
import type { Clock } from '../clock.ts'

export class TokenBucketRateLimiter {
  readonly capacity: number
  readonly refillPerSecond: number
  readonly #clock: Clock
  #tokens: number
  #filledAt: number

  constructor(capacity: number, refillPerSecond: number, clock: Clock) {
    if (!(capacity > 0) || !(refillPerSecond > 0)) throw new Error('A bucket needs a capacity and a rate above zero')
    this.capacity = capacity
    this.refillPerSecond = refillPerSecond
    this.#clock = clock
    this.#tokens = capacity
    this.#filledAt = clock.now()
  }

  allow(tokens = 1): boolean {
    this.#refill()
    if (this.#tokens < tokens) return false
    this.#tokens -= tokens
    return true
  }

  /** Milliseconds until so many tokens are there; 0 when they are. */
  retryAfterMs(tokens = 1): number {
    this.#refill()
    return Math.max(0, Math.ceil(((tokens - this.#tokens) / this.refillPerSecond) * 1_000))
  }

  /** Whole tokens at this moment. */
  remaining(): number {
    this.#refill()
    return Math.floor(this.#tokens)
  }

  #refill(): void {
    const now = this.#clock.now()
    // A clock that steps back fills nothing and owes nothing.
    const elapsedMs = Math.max(0, now - this.#filledAt)
    this.#tokens = Math.min(this.capacity, this.#tokens + (elapsedMs / 1_000) * this.refillPerSecond)
    this.#filledAt = now
  }
}
