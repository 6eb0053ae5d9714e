// Sessions at the edge over HTTP: what one listens to, what is said to it alone, its end, and our beat.
import { z } from 'zod'
import type { EdgeSessionCalls } from '#server/app/edge-ports.ts'
import { checkReply, type EdgeCaller } from './edge-caller.ts'
import { topicStream } from './edge-streams.ts'

const assigned = z.object({ startOffset: z.string(), isNewSession: z.boolean(), missing: z.array(z.string()) })
const topicOf = (stream: string): number => Number(stream.slice(topicStream('').length))

export function createEdgeSessionCalls(call: EdgeCaller): EdgeSessionCalls {
  return {
    async assign({ id, version, topics }) {
      const body = JSON.stringify({ version, streamIds: topics.map(topicStream) })
      const reply = await call({ method: 'PUT', path: `/session/${id}`, body })
      if (reply.status === 409) return { is: 'stale' }
      checkReply(reply, 'a session')
      const { startOffset, isNewSession, missing } = assigned.parse(JSON.parse(reply.text))
      return { is: 'assigned', startOffset, fresh: isNewSession, missing: missing.map(topicOf) }
    },

    async tell(id, events) {
      const reply = await call({ method: 'POST', path: `/session/${id}/tell`, body: JSON.stringify(events) })
      // Nobody listens there any more.
      if (reply.status !== 404 && reply.status !== 410) checkReply(reply, 'a word to a session')
    },

    async end(id) {
      const reply = await call({ method: 'DELETE', path: `/session/${id}` })
      if (reply.status !== 404) checkReply(reply, 'the end of a session')
    },

    async beat(beatAgeMs) {
      checkReply(await call({ method: 'POST', path: '/beat', body: JSON.stringify({ beatAgeMs }) }), 'a beat')
    },
  }
}
