// Who may open a stream now, and when the others should come back. Connections are admitted at a rate; whoever is
// refused gets a place in a queue that exists only as a moment: the next free one. A herd then needs two tries each,
// where random waits would need ten.
import type { Clock } from '#shared/clock.ts'

/** Slots are given out a little slower than connections are admitted, so that newcomers do not push out those who waited. */
const SLOT_SHARE = 0.9

export class Admission {
  readonly #perMs: number
  readonly #burst: number
  readonly #clock: Clock
  #tokens: number
  #filledAt: number
  /** The last moment that was given out. */
  #lastSlot = 0

  constructor({ perSecond, burst, clock }: { perSecond: number; burst: number; clock: Clock }) {
    this.#perMs = perSecond / 1_000
    this.#burst = burst
    this.#clock = clock
    this.#tokens = burst
    this.#filledAt = clock.now()
  }

  /** 0: come in. Otherwise the milliseconds until the caller's own slot. */
  ask(): number {
    const now = this.#clock.now()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
    if (this.#tokens >= 1) {
      this.#tokens -= 1
      return 0
    }
    return this.slot(now)
  }

  /** The next free moment, as a wait from now. */
  slot(now = this.#clock.now()): number {
    this.#lastSlot = Math.max(this.#lastSlot, now) + 1 / (this.#perMs * SLOT_SHARE)
    return this.#lastSlot - now
  }
}
