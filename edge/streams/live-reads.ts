// Live reads are held by the Worker, not by the stream's object: SSE and long polls listen to the object's notices
// (tail.ts) and read from it when a notice does not say enough. Each ends with its time, its token or its stream.
import { systemClock, systemRandom } from '#shared/clock.ts'
import type { AskBeat } from './beat.ts'
import { isText } from './core/content-type.ts'
import { nextCursor } from './core/cursor.ts'
import { type Appended, meaningFor } from './core/notice.ts'
import type { OffsetRequest, Position } from './core/offset.ts'
import { isAtEnd, isUpToDate, type ReadResult } from './core/read.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { beatEvent, controlEvent, dataEvent, HEARTBEAT } from './core/sse.ts'
import type { StreamsEnv } from './env.ts'
import { countReader } from './figures.ts'
import { Tail } from './tail.ts'

type Stub = ReturnType<StreamsEnv['STREAM_DO']['getByName']>
export type LiveRead = {
  stub: Stub
  offset: OffsetRequest
  cursor: string | null
  endsAtMs: number | null
  heartbeatMs: number
  lifeMs: number
  /** For a reader that wants to be told of the origin's beat. */
  beat: { ask: AskBeat; everyMs: number } | null
}

const NOT_FOUND = refuse(404, 'there is no such stream')
const at = (position: Position): OffsetRequest => ({ at: 'position', position })

/** What there is after the offset, or what comes within the time; an empty result when nothing came. */
export async function longPoll({ stub, offset, endsAtMs }: LiveRead, waitMs: number): Promise<ReadResult | Refusal> {
  const first = await stub.read(offset)
  if (isRefusal(first) || first.body.length > 0 || isAtEnd(first)) return first
  const deadline = Math.min(systemClock.now() + waitMs, endsAtMs ?? Number.POSITIVE_INFINITY)
  const tail = new Tail(stub)
  countReader('long-poll', 1)
  try {
    if (!(await tail.open())) return NOT_FOUND
    while (true) {
      const now = await stub.read(at(first.next))
      const left = deadline - systemClock.now()
      if (isRefusal(now) || now.body.length > 0 || isAtEnd(now) || left <= 0) return now
      const { type } = await tail.next(left)
      if (type === 'gone' || (type === 'lost' && !(await tail.open()))) return NOT_FOUND
    }
  } finally {
    countReader('long-poll', -1)
    tail.close()
  }
}

export async function openSse(read: LiveRead, ctx: ExecutionContext): Promise<Response | Refusal> {
  const tail = new Tail(read.stub)
  if (!(await tail.open())) return lookedFor(await read.stub.describe())
  const first = await firstPage(read, tail)
  if (isRefusal(first)) return first
  // Unlike other streams, this one fails a write once nobody reads it any more.
  const { readable, writable } = new IdentityTransformStream()
  ctx.waitUntil(new SseReader(read, first, tail, writable).run())
  return new Response(readable, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
      ...(isText(first.contentType) ? {} : { 'Stream-SSE-Data-Encoding': 'base64' }),
    },
  })
}

async function firstPage({ stub, offset }: LiveRead, tail: Tail): Promise<ReadResult | Refusal> {
  try {
    const first = await stub.read(offset)
    if (isRefusal(first)) tail.close()
    return first
  } catch (error) {
    tail.close()
    throw error
  }
}

const lookedFor = (description: unknown): Refusal => (isRefusal(description) ? description : NOT_FOUND)

class SseReader {
  readonly #stub: Stub
  readonly #tail: Tail
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #encoder = new TextEncoder()
  readonly #endsAtMs: number
  readonly #heartbeatMs: number
  readonly #beat: LiveRead['beat']
  #beatDueMs = 0
  readonly #first: ReadResult
  #cursor: string | null
  #position: Position

  constructor(
    { stub, cursor, endsAtMs, heartbeatMs, lifeMs, beat }: LiveRead,
    first: ReadResult,
    tail: Tail,
    writable: WritableStream<Uint8Array>,
  ) {
    this.#stub = stub
    this.#tail = tail
    this.#writer = writable.getWriter()
    this.#endsAtMs = Math.min(systemClock.now() + lifeMs, endsAtMs ?? Number.POSITIVE_INFINITY)
    this.#heartbeatMs = heartbeatMs
    this.#beat = beat
    this.#first = first
    this.#cursor = cursor
    this.#position = first.from
  }

  async run(): Promise<void> {
    countReader('sse', 1)
    try {
      await this.#follow()
      await this.#writer.close()
    } catch (error) {
      // The reader left, or the stream's object could not be reached: either way a reader comes back by itself.
      await this.#writer.abort(error).catch(() => {})
    } finally {
      countReader('sse', -1)
      this.#tail.close()
    }
  }

  async #follow(): Promise<void> {
    if (await this.#writeResult(this.#first)) return
    while (true) {
      const left = this.#endsAtMs - systemClock.now()
      if (left <= 0) return
      const beatLeft = await this.#tellBeat()
      const signal = await this.#tail.next(Math.min(this.#heartbeatMs, left, beatLeft))
      if (signal.type === 'gone') return
      if (signal.type === 'appended' && (await this.#onAppended(signal))) return
      if (signal.type === 'quiet') {
        await this.#write(HEARTBEAT)
        if (this.#tail.probe()) continue
      }
      if (signal.type !== 'appended' && (!(await this.#tail.open()) || (await this.#catchUp()))) return
    }
  }

  /** Tells it when it is time to; how long until then. */
  async #tellBeat(): Promise<number> {
    if (this.#beat === null) return Number.POSITIVE_INFINITY
    const now = systemClock.now()
    if (now >= this.#beatDueMs) {
      this.#beatDueMs = now + this.#beat.everyMs
      await this.#write(beatEvent(await this.#beat.ask()))
    }
    return this.#beatDueMs - now
  }

  /** Each of these: true when there will be no more. */
  async #onAppended(notice: Appended): Promise<boolean> {
    const meaning = meaningFor(this.#position, notice)
    if (meaning.do === 'nothing') return false
    if (meaning.do === 'read') return this.#catchUp()
    const { contentType } = this.#first
    this.#position = notice.to
    const upToDate = !this.#tail.hasMore()
    const body = this.#encoder.encode(meaning.text)
    await this.#write(dataEvent(contentType, body) + this.#control(upToDate, notice.closed))
    return notice.closed
  }

  async #catchUp(): Promise<boolean> {
    const result = await this.#stub.read(at(this.#position))
    return isRefusal(result) || this.#writeResult(result)
  }

  async #writeResult(first: ReadResult): Promise<boolean> {
    let result = first
    while (true) {
      this.#position = result.next
      const data = result.body.length > 0 ? dataEvent(result.contentType, result.body) : ''
      await this.#write(data + this.#control(isUpToDate(result), isAtEnd(result)))
      if (isUpToDate(result)) return isAtEnd(result)
      const next = await this.#stub.read(at(this.#position))
      if (isRefusal(next)) return true
      result = next
    }
  }

  #control(upToDate: boolean, closed: boolean): string {
    const cursor = nextCursor(this.#cursor, systemClock.now(), systemRandom)
    // Within one connection the cursor may stand; only a new request needs another.
    this.#cursor = null
    return controlEvent({ next: this.#position, cursor, upToDate, closed })
  }

  async #write(text: string): Promise<void> {
    await this.#writer.write(this.#encoder.encode(text))
  }
}
