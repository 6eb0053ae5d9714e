// What a session's stream copies from its sources, and what a source gives to be copied (SUB-4). The place up to which a
// source is copied moves in the transaction of the copy; everything that arrives is judged by it (core/delivery.ts).
import { systemClock } from '#shared/clock.ts'
import { messagesOf } from './core/append.ts'
import { isJson, sameMediaType } from './core/content-type.ts'
import { type DeliveryHint, type DeliveryResult, judgeDelivery } from './core/delivery.ts'
import type { Position } from './core/offset.ts'
import { concatenate, type Page } from './core/page.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { READ_PAGE_BYTES } from './core/tuning.ts'
import type { Joined } from './rpc.ts'
import { NOT_FOUND, type StreamState } from './stream-state.ts'
import type { StreamHead } from './stream-storage.ts'

const [OPENING, CLOSING] = [new TextEncoder().encode('['), new TextEncoder().encode(']')]

export class StreamCopies {
  readonly #state: StreamState

  constructor(state: StreamState) {
    this.#state = state
  }

  // As a source.

  async range(incarnation: string, from: Position, upTo: Position): Promise<Page | null> {
    const { head } = this.#state
    if (head === null || head.incarnation !== incarnation) return null
    const { body, next } = await this.#state.page(head, from, upTo, READ_PAGE_BYTES)
    return { body: isJson(head.contentType) ? concatenate([OPENING, body, CLOSING]) : body, next }
  }

  // As a session.

  async join(source: string): Promise<Joined | Refusal> {
    const before = this.#state.live()
    if (isRefusal(before)) return before
    const from = await this.#state.stream(source).describe()
    const head = this.#state.live()
    if (isRefusal(from) || isRefusal(head)) return isRefusal(from) ? from : NOT_FOUND
    if (!sameMediaType(from.contentType, head.contentType))
      return refuse(409, `this session holds ${head.contentType}, the stream ${from.contentType}`)
    const { incarnation, tail: start } = from
    const generation = this.#state.storage.joinSource(source, incarnation, start, systemClock.now())
    return { generation, incarnation, start }
  }

  leave(source: string): void {
    this.#state.storage.leaveSource(source)
  }

  async deliver(hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | Refusal> {
    const { storage } = this.#state
    const { source, generation, offset } = hint
    const judged = carried === null ? { ...hint, prevOffset: null } : hint
    while (true) {
      const head = this.#state.live()
      if (isRefusal(head)) return head
      if (head.closed) return refuse(409, 'the stream is closed')
      const step = judgeDelivery(storage.sourceCursor(source), judged)
      if (step.do === 'nothing') return step.result
      if (step.do === 'append') return this.#copy(head, carried ?? new Uint8Array(), source, offset)
      if (step.do === 'ask') {
        if (!(await this.#followAnew(source, generation))) return 'duplicate'
        continue
      }
      const page = await this.#state.stream(source).range(hint.incarnation, step.from, offset)
      // It is not that stream any more; whoever is told of the one after it brings us there.
      if (page === null) return 'duplicate'
      const now = this.#state.live()
      if (isRefusal(now)) return now
      // Another delivery may have been quicker while we read; then this page is not the next one any more.
      const cursor = storage.sourceCursor(source)
      if (cursor?.generation !== generation || cursor.at !== step.from || cursor.incarnation !== hint.incarnation)
        continue
      if (page.next <= step.from) throw new Error('the source has nothing where its offset says')
      const copied = this.#copy(now, page.body, source, page.next)
      if (page.next >= offset || isRefusal(copied)) return copied
    }
  }

  hand(body: Uint8Array): DeliveryResult | Refusal {
    const head = this.#state.live()
    if (isRefusal(head)) return head
    return head.closed ? refuse(409, 'the stream is closed') : this.#write(head, body)
  }

  /** Asks the sources that were looked at longest ago whether they have more, whatever happened to their messages. */
  async catchUp(limit: number): Promise<void> {
    const sources = this.#state.storage.sourcesToCheck(limit, systemClock.now())
    await Promise.allSettled(
      sources.map(async ({ source, generation }) => {
        const from = await this.#state.stream(source).describe()
        if (isRefusal(from)) return
        const hint = { source, generation, incarnation: from.incarnation, prevOffset: null, offset: from.tail }
        await this.deliver(hint, null)
      }),
    )
  }

  /** A source that was made anew is copied from its beginning; false when it is still the one that we know, or none. */
  async #followAnew(source: string, generation: number): Promise<boolean> {
    const from = await this.#state.stream(source).describe()
    const cursor = this.#state.storage.sourceCursor(source)
    if (isRefusal(from) || cursor === null || cursor.generation !== generation) return false
    if (cursor.incarnation === from.incarnation) return false
    // Copies from before incarnations were kept: what they know of is the source that there is.
    const at = cursor.incarnation === '' ? cursor.at : 0
    this.#state.storage.moveSource(source, from.incarnation, at)
    return true
  }

  /** Appends a copy and moves the place of its source, in one. */
  #copy(head: StreamHead, body: Uint8Array, source: string, upTo: Position): DeliveryResult | Refusal {
    return this.#write(head, body, () => this.#state.storage.advanceSource(source, upTo))
  }

  /** Does not count as use: a session nobody reads must end. */
  #write(head: StreamHead, body: Uint8Array, also?: () => void): DeliveryResult | Refusal {
    const messages = messagesOf(head.contentType, body)
    if (isRefusal(messages)) return messages
    this.#state.append(head, messages, also)
    return 'delivered'
  }
}
