// Writes down what is finished, some time behind the work and in batches: one row per topic and handler, however many
// events. What a crash keeps from being written is found as owed and done again.
import type { DeliveryProgress } from '#server/app/delivery-ports.ts'
import { HANDLERS, type HandlerName, type Place } from '#server/domain/delivery/handlers.ts'
import { toRanges } from '#server/domain/delivery/ranges.ts'

const FLUSH_MS = 200
/** Places kept while Postgres does not answer; beyond it they are left to be found as owed. */
const KEPT_MAX = 200_000

export class Recorder {
  readonly #progress: Pick<DeliveryProgress, 'record'>
  readonly #onError: (error: unknown) => void
  #waiting = new Map<HandlerName, Place[]>()
  #count = 0
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(progress: Pick<DeliveryProgress, 'record'>, onError: (error: unknown) => void) {
    this.#progress = progress
    this.#onError = onError
  }

  add(handler: HandlerName, places: readonly Place[]): void {
    if (places.length === 0 || this.#count >= KEPT_MAX) return
    const known = this.#waiting.get(handler)
    if (known) for (const { topicId, seq } of places) known.push({ topicId, seq })
    else
      this.#waiting.set(
        handler,
        places.map(({ topicId, seq }) => ({ topicId, seq })),
      )
    this.#count += places.length
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }

  /** Resolves when everything so far has been written, or has failed and waits again. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#count = 0
    const done = HANDLERS.flatMap((handler) =>
      toRanges(waiting.get(handler) ?? []).map((range) => ({ handler, range })),
    )
    try {
      await this.#progress.record(done)
    } catch (error) {
      this.#onError(error)
      for (const [handler, places] of waiting) this.add(handler, places)
    }
  }

  async stop(): Promise<void> {
    await this.flush()
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
