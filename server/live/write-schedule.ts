// When what is queued is written. The first event after a pause goes out at once; after that writes are a window apart,
// and the window grows with what a round of writes costs, so that a busy process spends a bounded share of its time on
// them. Cost follows writes, not events.

/** A round of writes is followed by at least this many times its own duration. */
const REST_TIMES = 2
/** Far below what a person notices and what we promise. */
const WINDOW_MAX_MS = 100

export class WriteSchedule {
  readonly #windowMs: number
  readonly #elapsed: () => number
  readonly #write: () => void
  #asked = false
  #lastEnd = Number.NEGATIVE_INFINITY
  #restMs = 0

  constructor(windowMs: number, elapsed: () => number, write: () => void) {
    this.#windowMs = windowMs
    this.#elapsed = elapsed
    this.#write = write
  }

  /** Something waits to be written. */
  ask(): void {
    if (this.#asked) return
    this.#asked = true
    const waitMs = this.#lastEnd + this.#restMs - this.#elapsed()
    // What else this turn of the event loop brings goes along.
    if (waitMs <= 0) setImmediate(() => this.#run())
    else setTimeout(() => this.#run(), waitMs)
  }

  #run(): void {
    this.#asked = false
    const start = this.#elapsed()
    this.#write()
    this.#lastEnd = this.#elapsed()
    const durationMs = this.#lastEnd - start
    this.#restMs = this.#windowMs === 0 ? 0 : Math.min(WINDOW_MAX_MS, Math.max(this.#windowMs, REST_TIMES * durationMs))
  }
}
