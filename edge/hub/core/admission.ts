// Who may connect now, and when the others should come back: each refused one gets the next free moment, as at the
// origin's streams, so that a herd needs two tries each.
import type { Clock } from '#shared/clock.ts'
import { TokenBucketRateLimiter } from '#shared/hub/token-bucket.ts'

/** Moments are given out a little slower than connections are admitted, so that newcomers do not push out who waited. */
const SLOT_SHARE = 0.9

export type Admitted =
  | { admitted: true }
  | { admitted: false; retryAfterSeconds: number; headers: Record<string, string> }

export class ConnectionAdmission {
  readonly #bucket: TokenBucketRateLimiter
  readonly #clock: Clock
  #lastSlot = 0

  constructor({ perSecond, burst }: { perSecond: number; burst: number }, clock: Clock) {
    this.#bucket = new TokenBucketRateLimiter(burst, perSecond, clock)
    this.#clock = clock
  }

  ask(): Admitted {
    if (this.#bucket.allow()) return { admitted: true }
    const now = this.#clock.now()
    this.#lastSlot = Math.max(this.#lastSlot, now) + 1_000 / (this.#bucket.refillPerSecond * SLOT_SHARE)
    const retryAfterSeconds = Math.max(1, Math.ceil((this.#lastSlot - now) / 1_000))
    return {
      admitted: false,
      retryAfterSeconds,
      headers: {
        'Retry-After': String(retryAfterSeconds),
        'X-RateLimit-Limit': String(this.#bucket.capacity),
        'X-RateLimit-Remaining': String(this.#bucket.remaining()),
        'X-RateLimit-Reset': String(Math.ceil((now + retryAfterSeconds * 1_000) / 1_000)),
      },
    }
  }
}
