// Builds and wires read state: where it is at the moment (Redis, or Postgres while Redis is away), how it is saved, and what
// counts are made of. A part of services.ts.
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Clock } from '#shared/clock.ts'
import { FeedFacts } from './app/feed-facts.ts'
import type { TopicStore } from './app/ports.ts'
import { createReadAccess } from './app/read-access.ts'
import type { FactStore, ReadStore } from './app/read-ports.ts'
import { createReadState } from './app/read-state.ts'
import { createSaveReads, type SaveReads } from './app/save-reads.ts'
import * as tuning from './config/tuning.ts'
import { createFactStore } from './db/fact-store.ts'
import { createKeptReads } from './db/read-store.ts'
import { every, type Loop } from './jobs/every.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createLiveReads } from './redis/read-state.ts'
import type { Warn } from './telemetry/logger.ts'
import { watchReads } from './telemetry/store-metrics.ts'

export type ReadServices = {
  reads: ReadStore
  facts: FeedFacts
  factStore: FactStore
  saveReads: SaveReads
  loops: () => Loop[]
}

export function createReadServices(options: {
  pool: pg.Pool
  redis: RedisConnection
  topics: TopicStore
  clock: Clock
  warn: Warn
  registry: Registry
}): ReadServices {
  const { pool, redis, topics, clock, warn } = options
  const factStore = createFactStore(pool)
  const facts = new FeedFacts(factStore)
  const kept = createKeptReads(pool)
  const segmentMs = (tuning.BITMAP_TTL_SECONDS + tuning.BITMAP_GRACE_SECONDS) * 1_000
  const live = createLiveReads(redis, { clock, idleMs: segmentMs })
  const saveReads = createSaveReads({ live, kept, clock })
  const onAway = warn('read state is kept in Postgres until Redis is back')
  const access = createReadAccess({ live, kept, saving: saveReads, clock, segmentMs, onAway })
  watchReads(options.registry, { unsaved: saveReads.unsaved, isAway: access.isAway })
  const settle = async () => {
    await access.settle()
    await saveReads.rescue()
  }
  return {
    reads: createReadState({ access, topics, facts, clock, segmentMs }),
    facts,
    factStore,
    saveReads,
    loops: () => [
      every(tuning.SAVE_READS_MS, saveReads.run, warn('read state not saved yet')),
      every(tuning.SETTLE_READS_MS, settle, warn('read state not settled yet')),
    ],
  }
}
