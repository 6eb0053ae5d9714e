// Seeded schedules of everything that can go wrong between the commit and the log: appends that fail before or after
// they took effect, two relays at once, a crash that forgets what it was about to send, a wiped log. Whatever happens,
// the log ends with every topic's events from the first to the head, in order, once.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { createTopicStore } from '#server/db/topic-store.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { seededRandom } from '#shared/clock.ts'
import type { ActivityLog } from './log-ports.ts'
import { createPublishActivity } from './publish-activity.ts'
import { createRelay } from './relay-outbox.ts'

const TOPICS = ['project/one', 'project/two', 'project/three']
const STEPS = 40
const quiet = createLogger({ mode: 'production', logLevel: 'silent' }, { write: () => undefined })

eachDatabase('relay', (open) => {
  let database: TestDatabase
  let redisServer: TestRedis
  let redis: RedisConnection
  beforeAll(async () => {
    database = await open()
    redisServer = await openRedis()
    redis = await connectRedis({ socketPath: redisServer.socketPath }, quiet)
    await database.pool.query(
      `insert into users (id, name, email, handle, role, created_at, updated_at)
       values ('ada', 'Ada', 'ada@example.com', 'ada', 'member', now(), now())`,
    )
    const topics = createTopicStore(database.pool)
    for (const name of TOPICS)
      await topics.create(
        { id: 'ada', handle: 'ada', name: 'Ada' },
        { name, description: '', visibility: 'public', posting: 'everyone' },
      )
  })
  afterAll(async () => {
    redis.destroy()
    await redisServer.stop()
    await database.stop()
  })

  it.each([1, 2, 3, 4, 5, 6])('[DLV-1] schedule %i of faults ends with the whole log, in order, once', async (seed) => {
    const random = seededRandom(seed)
    const log = createActivityLog(redis)
    const outbox = createOutbox(database.pool)
    const faulty = failingNowAndThen(log, random)
    const relays = [createRelay(outbox, faulty), createRelay(outbox, faulty)]
    const publishers = relays.map((relay) =>
      createPublishActivity({
        activities: createActivityStore(database.pool),
        outbox,
        relay,
        onRelayError: () => undefined,
      }),
    )
    const someOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
    const ada = {
      actor: { kind: 'person', id: 'ada', handle: 'ada', name: 'Ada' },
      source: 'web',
      scope: 'ada',
    } as const

    for (let step = 0; step < STEPS; step++) {
      const roll = random()
      if (roll < 0.7) {
        const burst = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
          someOf(publishers).publish(ada, { topic: someOf(TOPICS), verb: 'posted', summary: `${step}`, metadata: {} }),
        )
        await Promise.all(burst)
      } else if (roll < 0.85)
        await someOf(relays)
          .sweep()
          .catch(() => 0)
      else if (roll < 0.95) await Promise.all(relays.map((relay) => relay.reconcile().catch(() => 0)))
      else await redis.sendCommand(['FLUSHALL'])
    }
    for (const publisher of publishers) await publisher.settle()

    await createRelay(outbox, log).reconcile()
    const { epoch, entries } = await log.recent(100_000_000)
    const logged = new Map<number, number[]>()
    for (const entry of entries) {
      expect(entry.position.epoch).toBe(epoch)
      logged.set(entry.topicId, [...(logged.get(entry.topicId) ?? []), entry.seq])
    }
    for (const [topicId, head] of await outbox.heads())
      expect(logged.get(topicId)).toEqual(Array.from({ length: head }, (_, index) => index + 1))
  })
})

/** Fails a third of the appends: half of those before anything happened, half after, when the answer was lost. */
function failingNowAndThen(log: ActivityLog, random: () => number): ActivityLog {
  return {
    ...log,
    async append(events) {
      const roll = random()
      if (roll < 1 / 6) throw new Error('connection lost before the command')
      const results = await log.append(events)
      if (roll < 1 / 3) throw new Error('connection lost before the answer')
      return results
    },
  }
}
