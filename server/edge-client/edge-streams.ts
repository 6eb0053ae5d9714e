// The edge's topic streams over HTTP. The topic's `seq` travels as `Stream-Seq`, padded so that it sorts as text, and the
// one before it as `Stream-After-Seq`: the edge takes what follows its last and otherwise says where it is. So a repeat, a
// hole and an edge that lost everything are all known from one answer.
import type { EdgeStreams } from '#server/app/edge-ports.ts'
import { checkReply, type EdgeCaller } from './edge-caller.ts'

const SEQ_DIGITS = 16
const NO_SEQ = 'none'

export const topicStream = (topicId: number | ''): string => `topic:${topicId}`
export const edgeSeq = (seq: number | null): string => (seq === null ? NO_SEQ : String(seq).padStart(SEQ_DIGITS, '0'))

export function createEdgeStreams(call: EdgeCaller): EdgeStreams {
  return {
    async send(topicId, after, events, signal) {
      const reply = await call({
        method: 'POST',
        path: `/publish/${topicStream(topicId)}`,
        headers: { 'stream-seq': edgeSeq(events.at(-1)!.seq), 'stream-after-seq': edgeSeq(after) },
        body: `[${events.map(({ body }) => body).join(',')}]`,
        signal,
      })
      if (reply.status === 404) return { is: 'missing' }
      const last = reply.headers.get('stream-seq')
      if (reply.status === 412 && last !== null) return { is: 'elsewhere', at: last === NO_SEQ ? null : Number(last) }
      checkReply(reply, 'events of a topic')
      return { is: 'sent' }
    },

    async create(topicId, signal) {
      checkReply(await call({ method: 'PUT', path: `/stream/${topicStream(topicId)}`, signal }), 'a topic')
    },
  }
}
