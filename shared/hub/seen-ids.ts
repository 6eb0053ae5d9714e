// Ids that were already handled, for a while and up to a number: the oldest go first.
import type { Clock } from '../clock.ts'

export class SeenIds {
  readonly #clock: Clock
  readonly #keepMs: number
  readonly #max: number
  /** Oldest first, which is a Map's own order. */
  readonly #until = new Map<string, number>()

  constructor({ clock, keepMs, max }: { clock: Clock; keepMs: number; max: number }) {
    this.#clock = clock
    this.#keepMs = keepMs
    this.#max = max
  }

  /** True when it is new; from then on it is known. */
  add(key: string): boolean {
    const now = this.#clock.now()
    for (const [old, until] of this.#until) {
      if (until > now && this.#until.size < this.#max) break
      this.#until.delete(old)
    }
    if (this.#until.has(key)) return false
    this.#until.set(key, now + this.#keepMs)
    return true
  }

  forget(key: string): void {
    this.#until.delete(key)
  }
}
