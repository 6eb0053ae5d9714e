// A database that was filled is one that the product could have made itself: it counts, pages, relays and publishes on it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { openReads } from '#scripts/testing/reads.ts'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { createPublishActivity } from '#server/app/publish-activity.ts'
import { createRelay } from '#server/app/relay-outbox.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { fillDatabase, topicNameOf } from './fill-database.ts'

const SIZE = { activities: 6_000, topics: 60, people: 4, follows: 30 }
const quiet = createLogger({ mode: 'production', logLevel: 'silent' }, { write: () => undefined })
const person = { kind: 'person', id: 'seed-1', handle: 'seed-1', name: 'Person 1' } as const

eachDatabase('filling', (open) => {
  let database: TestDatabase
  let redisServer: TestRedis
  let redis: RedisConnection
  const lines: string[] = []
  const number = async (text: string) => Number((await database.pool.query(text)).rows[0].n)

  beforeAll(async () => {
    database = await open()
    redisServer = await openRedis()
    redis = await connectRedis({ socketPath: redisServer.socketPath }, quiet)
    await fillDatabase(database.pool, { ...SIZE, onProgress: (line) => lines.push(line) })
  })
  afterAll(async () => {
    redis.destroy()
    await redisServer.stop()
    await database.stop()
  })

  const holes = () =>
    number(`select count(*) as n from (
      select h.topic_id from topic_heads h left join activities a on a.topic_id = h.topic_id
      group by h.topic_id having count(a.id) <> h.no or count(distinct a.seq) <> h.seq or coalesce(max(a.seq), 0) <> h.seq
        or coalesce(max(a.no), 0) <> h.no) wrong`)
  const logged = async () => {
    const heads = await createOutbox(database.pool).heads()
    return [await createActivityLog(redis).heads(), new Map([...heads].filter(([, seq]) => seq > 0))]
  }

  it('[FEED-1] gives every topic numbers without holes, in the order of ids and times', async () => {
    expect(lines.at(-1)).toBe('each person follows 30 topics')
    expect(await number('select count(*) as n from activities')).toBe(SIZE.activities)
    expect(await holes()).toBe(0)
    const disorder = `select count(*) as n from (select topic_id, id, published_at,
        lag(id) over numbers as id_before, lag(published_at) over numbers as at_before
        from activities window numbers as (partition by topic_id order by no)) a
      where id_before > id or at_before > published_at`
    expect(await number(disorder)).toBe(0)
  })

  it('[FEED-7] leaves at most twenty unread in a topic, and the counts agree with the pages', async () => {
    const { reads, topics } = openReads(database.pool, redis)
    const counts = await reads.counts('seed-1')
    expect(Object.keys(counts.heads)).toHaveLength(SIZE.follows)
    expect(Math.max(...Object.values(counts.topics))).toBeLessThanOrEqual(20)
    const unread = await reads.unread('seed-1', (await topics.followed('seed-1')).topics)
    const among = unread.flatMap(({ topicId, ranges }) => ranges.map(([from, to]) => ({ topicId, from, to })))
    const filter = { kind: 'unread', among } as const
    const query = { viewer: 'seed-1', before: null, limit: 1_000, filter, topicId: null, verb: null }
    expect(await createActivityStore(database.pool).page(query)).toHaveLength(counts.total)
  })

  it('[DLV-1] puts one event a topic into the log, and a publish goes on from there', async () => {
    const outbox = createOutbox(database.pool)
    const log = createActivityLog(redis)
    const relay = createRelay(outbox, log)
    expect(await relay.sweep()).toBe(0)
    const busy = await number('select count(*) as n from topic_heads where no > 0')
    expect(await relay.reconcile()).toBe(busy)
    expect((await log.recent(100_000_000)).entries).toHaveLength(busy)
    expect(await publish(relay)).toEqual([])
    const [inLog, heads] = await logged()
    expect(inLog).toEqual(heads)
  })

  it('[DLV-1] filled again it has more activities only, and the log starts over instead of stopping', async () => {
    const people = await number('select count(*) as n from users')
    const before = await number('select count(*) as n from activities')
    await fillDatabase(database.pool, SIZE)
    expect(await number('select count(*) as n from users')).toBe(people)
    expect(await number('select count(*) as n from topics')).toBe(SIZE.topics)
    expect(await number('select count(*) as n from activities')).toBe(before + SIZE.activities)
    expect(await holes()).toBe(0)

    const log = createActivityLog(redis)
    const { epoch } = await log.recent(1)
    const relay = createRelay(createOutbox(database.pool), log)
    // The log cannot go on where it ended; the sweep finds what was published meanwhile once it is old enough.
    expect(await publish(relay)).toHaveLength(1)
    await database.pool.query(`update events set created_at = created_at - interval '1 minute' where log_ms is null`)
    expect(await relay.sweep()).toBe(1)
    expect((await log.recent(1)).epoch).not.toBe(epoch)
    expect(await publish(relay)).toEqual([])
    const [inLog, heads] = await logged()
    expect(inLog).toEqual(heads)
  })

  /** Returns what kept the publish from the log. */
  async function publish(relay: ReturnType<typeof createRelay>): Promise<unknown[]> {
    const failures: unknown[] = []
    const publishing = createPublishActivity({
      activities: createActivityStore(database.pool),
      outbox: createOutbox(database.pool),
      relay,
      onRelayError: (error) => failures.push(error),
    })
    const input = { topic: topicNameOf(0), verb: 'posted', summary: 'live again', metadata: {} }
    await publishing.publish({ actor: person, source: 'web', scope: person.id }, input)
    await publishing.settle()
    return failures
  }
})
