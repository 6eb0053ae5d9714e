// Builds and wires read state: where it is at the moment (Redis, or Postgres while Redis is away), how it is saved, and the
// world around it that counts are made of, kept true by the tail. A part of services.ts.
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Clock } from '#shared/clock.ts'
import type { ActivityEvent, LogEvent, UpdateEvent } from '#shared/live-events.ts'
import { FeedFacts } from './app/feed-facts.ts'
import { FollowMemory } from './app/follow-memory.ts'
import { followsTouchedBy, heardOf } from './app/heard.ts'
import type { LogEntry, OutboxEvent } from './app/log-ports.ts'
import type { TopicStore } from './app/ports.ts'
import { createReadAccess } from './app/read-access.ts'
import { createReadState } from './app/read-state.ts'
import { createReadWorld } from './app/read-world.ts'
import { createSaveReads } from './app/save-reads.ts'
import * as tuning from './config/tuning.ts'
import { createFactStore } from './db/fact-store.ts'
import { createKeptReads } from './db/read-store.ts'
import { every, type Loop } from './jobs/every.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createLiveReads } from './redis/read-state.ts'
import type { Warn } from './telemetry/logger.ts'
import { watchReads } from './telemetry/store-metrics.ts'

export type ReadServicesOptions = {
  pool: pg.Pool
  redis: RedisConnection
  topics: TopicStore
  clock: Clock
  warn: Warn
  registry: Registry
  /** Whether the tail is up to the log. */
  isCurrent: () => boolean
}

export type ReadServices = ReturnType<typeof createReadServices>

/** How long a segment is kept after its newest activity, and the state of somebody who does not come back. */
export const SEGMENT_MS = (tuning.BITMAP_TTL_SECONDS + tuning.BITMAP_GRACE_SECONDS) * 1_000

export function createReadServices(options: ReadServicesOptions) {
  const { pool, redis, topics, clock, warn, isCurrent } = options
  const segmentMs = SEGMENT_MS
  const store = createFactStore(pool)
  const facts = new FeedFacts(store)
  const follows = new FollowMemory(topics)
  const live = createLiveReads(redis, { clock, idleMs: segmentMs })
  const kept = createKeptReads(pool)
  const saveReads = createSaveReads({ live, kept, clock })
  const onAway = warn('read state is kept in Postgres until Redis is back')
  const access = createReadAccess({ live, kept, saving: saveReads, clock, segmentMs, onAway })
  const world = createReadWorld({ topics, follows, facts, isCurrent })
  const reads = createReadState({ access, world, facts, clock, segmentMs })
  watchReads(options.registry, { unsaved: saveReads.unsaved, isAway: access.isAway })

  const renewFacts = (): void => void facts.renew().catch(warn('heads could not be read'))

  function followsChanged(viewer: string | null): void {
    if (viewer === null) follows.forgetAll()
    else follows.forget(viewer)
  }

  /** Finds what messages would have said, and reads again what could not be read. */
  async function audit(): Promise<void> {
    if (!facts.topics.isReady) await facts.renew()
    await facts.topics.renewFloors()
    await follows.audit()
  }

  /** Brings what waits to where it belongs. */
  async function settle(): Promise<void> {
    if (!facts.topics.isReady) await facts.renew()
    await access.settle()
    await saveReads.rescue()
  }

  return {
    ...{ reads, saveReads, access, live, kept, facts, followsChanged, renewFacts, audit },

    /** An entry of the log, in order; returns what it says. */
    hear({ kind, data }: Pick<LogEntry, 'kind' | 'data'>): LogEvent {
      const log: LogEvent =
        kind === 'activity'
          ? { kind, event: JSON.parse(data) as ActivityEvent }
          : { kind: 'update', event: JSON.parse(data) as UpdateEvent }
      const touched = followsTouchedBy(log)
      if (touched !== undefined) followsChanged(touched)
      if (!facts.hear(heardOf(log))) renewFacts()
      return log
    },

    /** What this process has just stored: whoever asks it next finds it counted. */
    hearOwn(events: readonly OutboxEvent[]): void {
      for (const { log } of events) facts.hearOwn(heardOf(log))
    },

    /** Messages may have been lost. */
    doubt: () => follows.forgetAll(),

    /** Moves floors to where activities are younger; whether any moved. */
    async raiseFloors(before: Date): Promise<boolean> {
      let moved = false
      while ((await store.raiseFloors(before, tuning.FLOORS_BATCH)) > 0) moved = true
      return moved
    },

    loops: (): Loop[] => [
      every(tuning.SAVE_READS_MS, saveReads.run, warn('read state not saved yet')),
      every(tuning.SETTLE_READS_MS, settle, warn('read state not settled yet')),
      every(tuning.AUDIT_MS, audit, warn('floors and follows could not be checked')),
    ],
  }
}
