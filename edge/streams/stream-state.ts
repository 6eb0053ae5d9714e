// One stream as it is now: its head in memory, its bytes in storage, its live readers' sockets, its duties. The parts of the
// object (stream-object.ts, stream-forks.ts, stream-copies.ts) read and change it through here, so that each rule, like when
// a stream is over or what an append tells its readers, is in one place.
import { systemClock } from '#shared/clock.ts'
import { cutIntoChunks } from './core/chunks.ts'
import { isJson, isText } from './core/content-type.ts'
import { endsAtMs, isOver, worthNoting } from './core/expiry.ts'
import type { Notice } from './core/notice.ts'
import type { Position } from './core/offset.ts'
import { collectPage, concatenate, joinPages, type Page } from './core/page.ts'
import { type Refusal, refuse } from './core/refusal.ts'
import { INLINE_NOTICE_BYTES } from './core/tuning.ts'
import type { StreamsEnv } from './env.ts'
import type { StreamRpc } from './rpc.ts'
import { StreamDuties } from './stream-duties.ts'
import { type StreamHead, StreamStorage } from './stream-storage.ts'

export const NOT_FOUND = refuse(404, 'there is no such stream')
const GONE = refuse(410, 'this stream was deleted; only its forks still read it')
const COMMA = new TextEncoder().encode(',')

export class StreamState {
  readonly storage: StreamStorage
  readonly duties: StreamDuties
  readonly #ctx: DurableObjectState
  readonly #env: StreamsEnv
  #head: StreamHead | null
  /** The last use that is written down. */
  #notedMs: number

  constructor(ctx: DurableObjectState, env: StreamsEnv) {
    this.#ctx = ctx
    this.#env = env
    this.storage = new StreamStorage(ctx.storage.sql)
    this.#head = this.storage.head()
    this.#notedMs = this.#head?.usedMs ?? 0
    this.duties = new StreamDuties(ctx, env, this.storage, () => this.#head)
  }

  /** Also of a stream that is deleted and kept for its forks. */
  get head(): StreamHead | null {
    return this.#head
  }

  /** The stream as everybody may use it; one whose time is up ends here, whether or not its alarm has rung. */
  live(): StreamHead | Refusal {
    const head = this.#head
    if (head === null) return NOT_FOUND
    if (!head.deleted && isOver(head.lifetime, head.usedMs, systemClock.now())) {
      this.end(head)
      this.#ctx.waitUntil(this.duties.perform())
      return this.#head === null ? NOT_FOUND : GONE
    }
    return head.deleted ? GONE : head
  }

  /** Writes messages after the head's tail, and whatever else belongs to it, as one; then readers hear of them. */
  append(head: StreamHead, messages: Uint8Array[], also: () => void = () => {}): StreamHead {
    const stored = this.#ctx.storage.transactionSync(() => {
      also()
      return this.#store(head, messages)
    })
    this.#head = stored
    this.#notedMs = stored.usedMs
    this.#tell(appendedNotice(stored, head.tail, messages))
    return stored
  }

  /** A sliding life starts anew; kept in memory at once and written down seldom: a crash forgets a twentieth of it. */
  use(head: StreamHead): void {
    head.usedMs = systemClock.now()
    if (!worthNoting(head.lifetime, this.#notedMs, head.usedMs)) return
    this.#notedMs = head.usedMs
    this.storage.putHead(head)
  }

  /** Ends the stream for everybody but its forks; without forks it is gone. */
  end(head: StreamHead): void {
    const gone = !this.storage.hasForks()
    this.#ctx.storage.transactionSync(() => {
      if (gone) this.storage.purge()
      else this.storage.putHead({ ...head, deleted: true })
      this.duties.oweEnding(head, gone)
    })
    this.#head = gone ? null : { ...head, deleted: true }
    this.#tell({ type: 'gone' })
    for (const socket of this.#ctx.getWebSockets()) socket.close(1000, 'the stream ended')
  }

  /** When it would end by itself, its alarm rings. */
  armEnding(head: StreamHead): void {
    this.duties.arm(endsAtMs(head.lifetime, head.usedMs))
  }

  /** Its own bytes, and before them those of the stream that it was forked from. */
  async page(head: StreamHead, from: Position, upTo: Position, maxBytes: number): Promise<Page> {
    const json = isJson(head.contentType)
    const own = (start: Position, bytes: number) =>
      collectPage(this.storage.chunksFrom(start), { from: start, upTo, maxBytes: bytes, json })
    if (from >= head.base || head.fork === null) return own(from, maxBytes)
    const inheritedEnd = Math.min(head.base, upTo)
    const first = await this.stream(head.fork.source).inherited(from, inheritedEnd, maxBytes)
    const left = maxBytes - first.body.length
    return first.next < inheritedEnd || left <= 0 ? first : joinPages(first, own(head.base, left), json)
  }

  stream(name: string): DurableObjectStub<StreamRpc> {
    return this.#env.STREAM_DO.getByName(name)
  }

  #store(head: StreamHead, messages: Uint8Array[]): StreamHead {
    let tail = head.tail
    for (const message of messages) {
      const start = tail
      for (const chunk of cutIntoChunks(message)) {
        this.storage.putChunk(tail, start, head.tail, chunk)
        tail += chunk.length
      }
    }
    const stored = { ...head, tail }
    this.storage.putHead(stored)
    if (messages.length > 0) this.duties.oweAppended(stored)
    return stored
  }

  #tell(notice: Notice): void {
    const text = JSON.stringify(notice)
    for (const socket of this.#ctx.getWebSockets()) socket.send(text)
  }
}

function appendedNotice({ contentType, tail, closed }: StreamHead, from: Position, messages: Uint8Array[]): Notice {
  const notice = { type: 'appended', from, to: tail, closed } as const
  if (!isText(contentType) || tail === from || tail - from > INLINE_NOTICE_BYTES) return notice
  const parts = isJson(contentType) ? messages.flatMap((part, at) => (at === 0 ? [part] : [COMMA, part])) : messages
  return { ...notice, text: new TextDecoder().decode(concatenate(parts)) }
}
