// A lease on a topic: one process at a time, and nobody for ever. The edge checks the order by itself, so a lease that
// ran out under somebody does no harm beyond repeats.
import { randomUUID } from 'node:crypto'
import type { TopicLease } from '#server/app/edge-ports.ts'
import type { RedisConnection } from './connection.ts'
import { edgeLeaseKey } from './keys.ts'
import { loadScript } from './script.ts'

export function createTopicLease(client: RedisConnection): TopicLease {
  const release = loadScript(client, 'release')
  return {
    async acquire(topicId, ms) {
      const key = edgeLeaseKey(topicId)
      const token = randomUUID()
      const got = await client.sendCommand(['SET', key, token, 'NX', 'PX', String(ms)])
      if (got === null) return null
      return { release: async () => void (await release([key], [token])) }
    },
  }
}
