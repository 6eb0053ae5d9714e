// Read state as a server process has it, without the rest of the server.
import type pg from 'pg'
import { FeedFacts } from '#server/app/feed-facts.ts'
import { createReadAccess } from '#server/app/read-access.ts'
import { createReadState } from '#server/app/read-state.ts'
import { createSaveReads } from '#server/app/save-reads.ts'
import { createFactStore } from '#server/db/fact-store.ts'
import { createKeptReads } from '#server/db/read-store.ts'
import { createTopicStore } from '#server/db/topic-store.ts'
import type { RedisConnection } from '#server/redis/connection.ts'
import { createLiveReads } from '#server/redis/read-state.ts'
import { type Clock, systemClock } from '#shared/clock.ts'

export const SEGMENT_MS = 32 * 24 * 3_600_000

export function openReads(pool: pg.Pool, redis: RedisConnection, clock: Clock = systemClock) {
  const live = createLiveReads(redis, { clock, idleMs: SEGMENT_MS })
  const kept = createKeptReads(pool)
  const saving = createSaveReads({ live, kept, clock })
  const troubles: unknown[] = []
  const onAway = (error: unknown) => troubles.push(error)
  const access = createReadAccess({ live, kept, saving, clock, segmentMs: SEGMENT_MS, onAway })
  const facts = new FeedFacts(createFactStore(pool))
  const topics = createTopicStore(pool)
  const reads = createReadState({ access, topics, facts, clock, segmentMs: SEGMENT_MS })
  return { live, kept, saving, access, facts, topics, reads, troubles }
}
