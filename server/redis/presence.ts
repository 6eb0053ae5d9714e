// Who is connected, for all processes to see: one member per connection in a sorted set of the person, scored by the
// moment at which it counts as gone unless it is noted again. A process that dies leaves nothing that lasts.
import type { Presence } from '#server/app/log-ports.ts'
import type { Clock } from '#shared/clock.ts'
import type { RedisConnection } from './connection.ts'
import { presenceKey } from './keys.ts'

/** Commands that travel together. */
const BATCH = 500

export function createPresence(client: RedisConnection, clock: Clock, ttlMs: number): Presence {
  return {
    async note(connections) {
      const until = clock.now() + ttlMs
      let batch: Promise<unknown>[] = []
      for (const { id, userId } of connections) {
        const key = presenceKey(userId)
        batch.push(
          client.sendCommand(['ZADD', key, String(until), id]),
          client.sendCommand(['PEXPIREAT', key, String(until), 'GT']),
          client.sendCommand(['PEXPIREAT', key, String(until), 'NX']),
        )
        if (batch.length >= BATCH) {
          await Promise.all(batch)
          batch = []
        }
      }
      await Promise.all(batch)
    },
    async forget({ id, userId }) {
      await client.sendCommand(['ZREM', presenceKey(userId), id])
    },
    async isLive(userId) {
      const count = await client.sendCommand(['ZCOUNT', presenceKey(userId), `(${clock.now()}`, '+inf'])
      return Number(count) > 0
    },
  }
}
