// Delivery on a real Redis and a real Postgres, with handlers whose fate a test decides, and topics to publish to.
import { Registry } from 'prom-client'
import { type DatabaseKind, openDatabase } from '#scripts/testing/databases.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import { createPublishActivity } from '#server/app/publish-activity.ts'
import { createRelay } from '#server/app/relay-outbox.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { createDeliveryProgress } from '#server/db/delivery-progress.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { createTopicStore } from '#server/db/topic-store.ts'
import { type HandlerName, placeKey } from '#server/domain/delivery/handlers.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectRedis } from '#server/redis/connection.ts'
import { createDeadLetters } from '#server/redis/dead-letters.ts'
import { createDeliveryQueue } from '#server/redis/delivery-queue.ts'
import { createProcessBoard } from '#server/redis/process-board.ts'
import { createDeliveryMetrics } from '#server/telemetry/delivery-metrics.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { systemClock, systemRandom } from '#shared/clock.ts'
import { createDelivery, type DeliveryTimes } from './delivery.ts'
import { DONE, type Handler, type Outcome } from './handler.ts'

export const quiet = createLogger({ mode: 'production', logLevel: 'silent' })
export const ADA = {
  actor: { kind: 'person', id: 'ada', handle: 'ada', name: 'Ada' },
  source: 'web',
  scope: 'ada',
} as const

/** Fast enough for a test; the relations between them are those of the product. */
export const FAST: Partial<DeliveryTimes> = {
  ...{ pelIdleMs: 400, handlerTimeoutMs: 2_000, retryMs: 20, blockMs: 50, adoptEveryMs: 100 },
  ...{ owedAgeMs: 60_000, owedEveryMs: 60_000 },
}

export async function openStage(kind: DatabaseKind = 'postgres', settings: string[] = []) {
  const [database, redisServer] = await Promise.all([openDatabase(kind), openRedis(settings)])
  const redis = await connectRedis({ socketPath: redisServer.socketPath }, quiet)
  const { pool } = database
  await pool.query(
    `insert into users (id, name, email, handle, role, created_at, updated_at)
     select h, initcap(h), h || '@example.com', h, 'member', now(), now() from unnest(array['ada', 'ben', 'cleo']) h`,
  )
  const topics = createTopicStore(pool)
  const outbox = createOutbox(pool)
  const log = createActivityLog(redis)
  const relay = createRelay(outbox, log)
  const publisher = createPublishActivity({
    ...{ outbox, relay, activities: createActivityStore(pool) },
    onRelayError: () => undefined,
  })
  const letters = createDeadLetters(redis)
  const progress = createDeliveryProgress(pool)

  return {
    ...{ pool, redis, redisServer, url: database.url, topics, outbox, log, relay, publisher, letters, progress },
    command: async <T>(...args: string[]) => (await redis.sendCommand(args)) as unknown as T,
    newTopic: (name: string, visibility: 'public' | 'private' = 'public') =>
      topics.create(
        { id: 'ada', handle: 'ada', name: 'Ada' },
        { name, description: '', visibility, posting: 'everyone' },
      ),
    async publish(topic: string, count: number, summary = 'hello') {
      const posts = Array.from({ length: count }, (_, i) =>
        publisher.publish(ADA, { topic, verb: 'posted', summary: `${summary} ${i}`, metadata: {} }),
      )
      const items = await Promise.all(posts)
      await publisher.settle()
      // In the product a sweep finds what the first append put off.
      await relay.reconcile()
      return items.map((item) => ({ topicId: item.topic.id, seq: item.seq }))
    },
    queue: (consumer: string, deadMax = 1_000) => createDeliveryQueue(redis, { consumer, deadMax }),
    /** A process's delivery, in this process. */
    delivery(consumer: string, handlers: Handler[], times: Partial<DeliveryTimes> = {}, deadMax = 1_000) {
      const queue = createDeliveryQueue(redis, { consumer, deadMax })
      const delivery = createDelivery({
        ...{ name: consumer, queue, progress, handlers, log: quiet, clock: systemClock, random: systemRandom },
        board: createProcessBoard(redis, systemClock),
        connections: () => 0,
        metrics: createDeliveryMetrics(new Registry()),
        identity: { pid: process.pid, host: 'test' },
        times: { ...FAST, ...times },
      })
      return { ...delivery, queue }
    },
    stop: async () => {
      redis.destroy()
      await redisServer.stop()
      await database.stop()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>
export type Verdict = (entry: DeliveryEntry, tries: number) => Outcome | Promise<Outcome>

/** Remembers what it was given, and answers as it is told. */
export function scripted(name: HandlerName, verdict: Verdict = () => ({ is: 'done' })) {
  const done = new Set<string>()
  const tries = new Map<string, number>()
  const handler: Handler = {
    name,
    handle: (entries) =>
      Promise.all(
        entries.map(async (entry) => {
          // Topics begin with an event of their own, which is not what tests count.
          if (entry.kind !== 'activity') return DONE
          const key = placeKey(entry)
          tries.set(key, (tries.get(key) ?? 0) + 1)
          const outcome = await verdict(entry, tries.get(key)!)
          if (outcome.is === 'done') done.add(key)
          return outcome
        }),
      ),
  }
  return { handler, done, tries }
}
