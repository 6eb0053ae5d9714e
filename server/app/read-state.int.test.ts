// Read state on real Redis and both kinds of Postgres: what one file alone cannot show.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { openReads } from '#scripts/testing/reads.ts'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { readsKey } from '#server/redis/keys.ts'
import { createLogger } from '#server/telemetry/logger.ts'

const quiet = createLogger({ mode: 'production', logLevel: 'silent' }, { write: () => undefined })
const ada = { id: 'ada', handle: 'ada', name: 'Ada' }
const ben = { id: 'ben', handle: 'ben', name: 'Ben' }

eachDatabase('read state', (open) => {
  let database: TestDatabase
  let server: TestRedis
  let redis: RedisConnection
  let made = 0
  beforeAll(async () => {
    database = await open()
    server = await openRedis()
    redis = await connectRedis({ socketPath: server.socketPath }, quiet)
    for (const { id, name } of [ada, ben])
      await database.pool.query(
        `insert into users (id, name, email, handle) values ($1, $2, $1 || '@example.com', $1)`,
        [id, name],
      )
  })
  afterAll(async () => {
    redis.destroy()
    await server.stop()
    await database.stop()
  })

  const store = () => createActivityStore(database.pool)

  /** A topic of Ada's that Ben follows, with one activity of each of these writers. */
  async function topicBy(writers: { id: string; handle: string; name: string }[]) {
    const parts = openReads(database.pool, redis)
    const name = `project/reads-${++made}`
    const settings = { description: '', visibility: 'public', posting: 'everyone' } as const
    const topic = (await parts.topics.create(ada, { name, ...settings }))!
    await parts.topics.follow(ben.id, topic.id)
    const ids: number[] = []
    for (const writer of writers) {
      const [outcome] = await store().publishBatch([
        {
          topic: name,
          actor: { kind: 'person', ...writer },
          source: 'web',
          input: { verb: 'posted', summary: '', metadata: {}, mentions: [] },
          idempotency: null,
        },
      ])
      if (outcome?.outcome === 'fresh') ids.push(outcome.activity.id)
    }
    const mark = async (viewer: string, nos: number[], read: boolean, { reads } = parts) =>
      reads.mark(
        viewer,
        await store().places(
          viewer,
          nos.map((no) => ids[no - 1]!),
        ),
        read,
      )
    const unread = async (viewer: string, { reads, topics } = parts) => {
      const followed = (await topics.followed(viewer)).topics.filter(({ id }) => id === topic.id)
      const [{ ranges } = { ranges: [] }] = await reads.unread(viewer, followed)
      const counted = (await reads.counts(viewer)).topics[topic.id] ?? 0
      const numbers = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i))
      expect(numbers).toHaveLength(counted)
      return numbers
    }
    return { topic, mark, unread, parts }
  }

  it('[FEED-7] what somebody wrote between the words of others never counts, marked, undone or unmarked', async () => {
    const { topic, mark, unread, parts } = await topicBy([ada, ben, ada, ben, ben, ada])
    expect([await unread(ada.id), await unread(ben.id)]).toEqual([
      [2, 4, 5],
      [1, 3, 6],
    ])
    await mark(ben.id, [1, 2], true)
    expect(await unread(ben.id)).toEqual([3, 6])
    const { undo, marked } = await parts.reads.markUpTo(ben.id, [{ topicId: topic.id, no: 5 }])
    expect([marked, await unread(ben.id)]).toEqual([1, [6]])
    expect(await parts.reads.undo(ben.id, undo)).toMatchObject({ removed: [{ topicId: topic.id, from: 3, to: 3 }] })
    expect(await parts.reads.undo(ben.id, undo)).toBeNull()
    expect(await unread(ben.id)).toEqual([3, 6])
    await mark(ben.id, [4], false)
    expect(await unread(ben.id)).toEqual([3, 6])
  })

  it('[READ-3] an undo leaves what other devices marked in between', async () => {
    const { topic, mark, unread, parts } = await topicBy(Array.from({ length: 8 }, () => ada))
    await mark(ben.id, [2, 5], true)
    await mark(ben.id, [2], false)
    const { undo } = await parts.reads.markUpTo(ben.id, [{ topicId: topic.id, no: 6 }])
    expect(await unread(ben.id)).toEqual([7, 8])
    await mark(ben.id, [4], true)
    await mark(ben.id, [5], false)
    expect(await unread(ben.id)).toEqual([5, 7, 8])
    await parts.reads.undo(ben.id, undo)
    expect(await unread(ben.id)).toEqual([1, 2, 3, 5, 6, 7, 8])
  })

  it('[READ-6] what was saved comes back by itself after FLUSHALL, with a higher version', async () => {
    const { mark, unread, parts } = await topicBy(Array.from({ length: 6 }, () => ada))
    const { version } = await mark(ben.id, [1, 2, 5], true)
    await mark(ben.id, [1], false)
    await parts.saving.run()
    await redis.sendCommand(['FLUSHALL'])
    expect(await unread(ben.id)).toEqual([1, 3, 4, 6])
    expect(await parts.reads.version(ben.id)).toBeGreaterThan(version)
  })

  it('[READ-6] a process that dies before it saves leaves a note that another one follows', async () => {
    const { mark, unread } = await topicBy([ada, ada, ada])
    await mark(ben.id, [2], true)
    const later = { now: () => Date.now() + 60_000 }
    const other = openReads(database.pool, redis, later)
    await other.saving.rescue()
    await redis.sendCommand(['FLUSHALL'])
    expect(await unread(ben.id, other)).toEqual([1, 3])
  })

  it('[READ-6] a writer that holds an older generation or version writes in vain', async () => {
    const { mark, unread, parts } = await topicBy([ada, ada, ada])
    await mark(ben.id, [1], true)
    await parts.saving.run()
    const old = (await parts.live.peek(ben.id))!
    await mark(ben.id, [2], true)
    await parts.saving.run()
    await parts.kept.save([{ viewer: ben.id, reads: old }])
    await redis.sendCommand(['FLUSHALL'])
    expect(await unread(ben.id)).toEqual([3])
    await parts.kept.save([{ viewer: ben.id, reads: { ...old, version: old.version + 1_000_000 } }])
    expect((await parts.kept.load(ben.id)).reads.topics.size).toBeGreaterThanOrEqual(1)
    await redis.sendCommand(['FLUSHALL'])
    expect(await unread(ben.id)).toEqual([3])
  })

  it('[READ-8] while Redis is away marks are kept, shown and undone in Postgres, and applied once on return', async () => {
    const { topic, mark, unread, parts } = await topicBy(Array.from({ length: 6 }, () => ada))
    await mark(ben.id, [1], true)
    await parts.saving.run()
    await server.kill()
    await mark(ben.id, [3, 4], true)
    await mark(ben.id, [3], false)
    expect(await unread(ben.id)).toEqual([2, 3, 5, 6])
    const { undo, version } = await parts.reads.markUpTo(ben.id, [{ topicId: topic.id, no: 5 }])
    expect(await unread(ben.id)).toEqual([6])
    expect((await parts.reads.counts(ben.id)).version).toBe(version)
    await parts.reads.undo(ben.id, undo)
    expect(await unread(ben.id)).toEqual([2, 3, 5, 6])
    expect(parts.troubles).toHaveLength(1)
    await server.restart()
    await expect.poll(() => redis.isReady, { timeout: 30_000 }).toBe(true)
    expect(await unread(ben.id)).toEqual([2, 3, 5, 6])
    await mark(ben.id, [4], false)
    await parts.access.settle()
    expect(await unread(ben.id)).toEqual([2, 3, 4, 5, 6])
    await parts.saving.run()
    expect((await parts.kept.load(ben.id)).waiting).toEqual([])
    expect(await parts.kept.waiting(10)).toEqual([])
  })

  it('[READ-8] what waited while only the connection was lost comes before what follows', async () => {
    const { mark, unread, parts } = await topicBy([ada, ada, ada])
    await mark(ben.id, [1], true)
    await redis.close()
    await mark(ben.id, [2], true)
    await mark(ben.id, [1], false)
    await redis.connect()
    await mark(ben.id, [1, 3], true)
    expect(await unread(ben.id)).toEqual([])
    await parts.access.settle()
    expect(await unread(ben.id)).toEqual([])
  })

  it('[READ-6] a Redis that comes back without its last second takes the newer state from Postgres', async () => {
    const { topic, mark, unread, parts } = await topicBy([ada, ada, ada, ada])
    await mark(ben.id, [1], true)
    const key = readsKey(ben.id)
    await redis.sendCommand(['COPY', key, 'older'])
    await parts.reads.markUpTo(ben.id, [{ topicId: topic.id, no: 2 }])
    await parts.saving.run()
    await redis.sendCommand(['COPY', 'older', key, 'REPLACE'])
    expect(await unread(ben.id)).toEqual([2, 3, 4])
    await server.restart()
    await expect.poll(() => redis.isReady, { timeout: 30_000 }).toBe(true)
    expect(await redis.exists('older')).toBe(1)
    expect(await unread(ben.id)).toEqual([3, 4])
    await mark(ben.id, [4], true)
    expect(await unread(ben.id)).toEqual([3])
  })

  it('[READ-6] a server and its Redis that die together lose what was marked since the last saving, and no more', async () => {
    const { mark, unread, parts } = await topicBy([ada, ada, ada, ada])
    await mark(ben.id, [1, 2], true)
    await parts.saving.run()
    await mark(ben.id, [3], true)
    await redis.sendCommand(['FLUSHALL'])
    const successor = openReads(database.pool, redis)
    expect(await unread(ben.id, successor)).toEqual([3, 4])
    await mark(ben.id, [3], true, successor)
    await parts.saving.run()
    await successor.saving.run()
    await redis.sendCommand(['FLUSHALL'])
    expect(await unread(ben.id)).toEqual([4])
  })
})
