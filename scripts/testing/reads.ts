// Read state as a server process has it, without the rest of the server.
import type pg from 'pg'
import { Registry } from 'prom-client'
import { createTopicStore } from '#server/db/topic-store.ts'
import { createReadServices, SEGMENT_MS } from '#server/read-services.ts'
import type { RedisConnection } from '#server/redis/connection.ts'
import { type Clock, systemClock } from '#shared/clock.ts'

export { SEGMENT_MS }

/** `tail.isCurrent`: whether it is told of every event; without that it asks Postgres for everything. */
export function openReads(pool: pg.Pool, redis: RedisConnection, clock: Clock = systemClock) {
  const troubles: unknown[] = []
  const tail = { isCurrent: false }
  const topics = createTopicStore(pool)
  const parts = createReadServices({
    ...{ pool, redis, topics, clock, registry: new Registry() },
    warn: () => (error: unknown) => void troubles.push(error),
    isCurrent: () => tail.isCurrent,
  })
  return { ...parts, saving: parts.saveReads, topics, tail, troubles }
}
