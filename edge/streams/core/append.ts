// Decides what an append does to a stream, in the protocol's order: closed first, then the type, the producer, the
// writer's sequence. Touches nothing; the object performs the outcome in one transaction.
import { isJson, sameMediaType } from './content-type.ts'
import { splitMessages } from './json-messages.ts'
import type { Position } from './offset.ts'
import { formatOffset } from './offset.ts'
import { judgeStamp, type ProducerStamp, type ProducerState } from './producer.ts'
import { isRefusal, type Refusal, refuse } from './refusal.ts'

export type AppendRequest = {
  contentType: string | null
  body: Uint8Array
  close: boolean
  stamp: ProducerStamp | null
  /** `Stream-Seq`, compared byte by byte; its scope is the stream. */
  writerSeq: string | null
  /** `Stream-After-Seq`: the stream's last `Stream-Seq` must be this, NO_SEQ for none. Ours, not of the protocol. */
  afterSeq?: string | null
}

/** What the decision needs to know of the stream. */
export type AppendView = {
  contentType: string
  tail: Position
  closed: boolean
  closedBy: ProducerStamp | null
  writerSeq: string | null
  producer: ProducerState | null
}

export type AppendOutcome =
  | { outcome: 'append'; messages: Uint8Array[]; close: boolean }
  /** Nothing to do: it was done before. `producerSeq` is the highest that counts. */
  | { outcome: 'repeated'; producerSeq: number | null }
  | Refusal

export const NO_SEQ = 'none'

export function decideAppend(view: AppendView, request: AppendRequest): AppendOutcome {
  const { stamp, body, close } = request
  const closeOnly = close && body.length === 0
  if (view.closed) return decideOnClosed(view, stamp, closeOnly)
  if (!closeOnly && !sameMediaType(request.contentType ?? '', view.contentType))
    return refuse(409, `this stream holds ${view.contentType}`)
  if (stamp !== null) {
    const verdict = judgeStamp(view.producer, stamp)
    if (isRefusal(verdict)) return verdict
    if (verdict.verdict === 'duplicate') return { outcome: 'repeated', producerSeq: verdict.seq }
  }
  const lastSeq = view.writerSeq ?? NO_SEQ
  if ((request.afterSeq ?? lastSeq) !== lastSeq)
    return refuse(412, 'the stream is not where Stream-After-Seq says', { 'Stream-Seq': lastSeq })
  if (request.writerSeq !== null && view.writerSeq !== null && !isAfter(request.writerSeq, view.writerSeq))
    return refuse(409, 'Stream-Seq must grow')
  const messages = closeOnly ? [] : messagesOf(view.contentType, body)
  if (isRefusal(messages)) return messages
  if (messages.length === 0 && !closeOnly) return refuse(400, 'an empty array holds no message')
  return { outcome: 'append', messages, close }
}

function decideOnClosed(view: AppendView, stamp: ProducerStamp | null, closeOnly: boolean): AppendOutcome {
  if (stamp !== null) {
    if (view.closedBy !== null && sameStamp(stamp, view.closedBy))
      return { outcome: 'repeated', producerSeq: view.producer?.seq ?? stamp.seq }
    if (view.producer !== null && stamp.epoch < view.producer.epoch) {
      const stale = judgeStamp(view.producer, stamp)
      if (isRefusal(stale)) return stale
    }
  } else if (closeOnly) return { outcome: 'repeated', producerSeq: null }
  return refuse(409, 'the stream is closed', {
    'Stream-Closed': 'true',
    'Stream-Next-Offset': formatOffset(view.tail),
  })
}

/** One entry per message; a stream that is not JSON has one message per request. */
export function messagesOf(contentType: string, body: Uint8Array): Uint8Array[] | Refusal {
  if (body.length === 0) return []
  if (!isJson(contentType)) return [body]
  const text = decodeUtf8(body)
  const messages = text === null ? null : splitMessages(text)
  if (messages === null) return refuse(400, 'the body is not valid JSON')
  const encoder = new TextEncoder()
  return messages.map((message) => encoder.encode(message))
}

function decodeUtf8(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body)
  } catch {
    return null
  }
}

/** Headers arrive as Latin-1 or ASCII, so comparing characters is comparing bytes. */
const isAfter = (one: string, other: string): boolean => one > other

const sameStamp = (one: ProducerStamp, other: ProducerStamp): boolean =>
  one.id === other.id && one.epoch === other.epoch && one.seq === other.seq
