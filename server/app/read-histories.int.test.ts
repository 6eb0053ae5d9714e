// One person on two devices that hang on two processes, and everything that can happen around them: Redis emptied, killed and
// back, a process that dies unsaved, days that pass. After every step flags, unread numbers and counts are those of a
// naive replay. Losses are not part of this: what was not saved when Redis is emptied is another test's.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { openReads, SEGMENT_MS } from '#scripts/testing/reads.ts'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import type { TopicEdit } from '#server/app/ports.ts'
import { createActivityChanges } from '#server/db/activity-changes.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { createFactStore } from '#server/db/fact-store.ts'
import { serialise } from '#server/domain/feed/wire.ts'
import { NaiveReads } from '#server/domain/read/naive-reads.fixture.ts'
import { connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { fixedClock } from '#shared/clock.ts'
import type { LogEvent } from '#shared/live-events.ts'

const quiet = createLogger({ mode: 'production', logLevel: 'silent' }, { write: () => undefined })
const ben = { id: 'ben', handle: 'ben', name: 'Ben' }
const DAY_MS = 24 * 3_600_000
const TOPICS = 3

type Item = { id: number; own: boolean; mentions: boolean; at: number; deleted: boolean }
type Topic = {
  id: number
  name: string
  isPrivate: boolean
  items: Item[]
  follow: { id: number; start: number } | null
}

const topic = fc.nat(TOPICS - 1)
const device = fc.nat(1)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      topic,
      own: fc.boolean(),
      mentions: fc.boolean(),
      count: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('mark' as const),
      topic,
      device,
      read: fc.boolean(),
      at: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('delete', 'edit'), topic, at: fc.nat(8), mentions: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('all' as const), device, short: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo' as const), device, back: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('follow', 'unfollow', 'mute', 'leave'), topic, device }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('flush', 'kill', 'crash', 'save'), device }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(61_000, DAY_MS, 20 * DAY_MS, 40 * DAY_MS),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

eachDatabase('reading on two devices', (open) => {
  let database: TestDatabase
  let server: TestRedis
  let connections: RedisConnection[]
  let made = 0
  beforeAll(async () => {
    database = await open()
    server = await openRedis()
    const connect = () => connectRedis({ socketPath: server.socketPath }, quiet)
    connections = [await connect(), await connect()]
    for (const connection of connections) connection.setMaxListeners(1_000)
    await addPerson(ben.id)
  })
  afterAll(async () => {
    for (const connection of connections) connection.destroy()
    await server.stop()
    await database.stop()
  })

  const addPerson = (id: string) =>
    database.pool.query(`insert into users (id, name, email, handle) values ($1, $1, $1 || '@example.com', $1)`, [id])

  async function live(steps: Step[]): Promise<void> {
    const viewer = `reader-${++made}`
    const person = { id: viewer, handle: viewer, name: viewer }
    await addPerson(viewer)
    const clock = fixedClock(Date.now())
    const store = createActivityStore(database.pool)
    const floors = createFactStore(database.pool)
    const naive = new NaiveReads()
    const devices = connections.map((redis) => openReads(database.pool, redis, clock))
    await devices[0]!.facts.renew()
    devices[0]!.tail.isCurrent = true
    const changes = createActivityChanges(database.pool)
    const topics: Topic[] = []
    for (let i = 0; i < TOPICS; i++) {
      const visibility = i === 0 ? ('private' as const) : ('public' as const)
      const name = `project/history-${made}-${i}`
      const { id } = (await devices[0]!.topics.create(ben, { name, description: '', visibility, posting: 'everyone' }))!
      // Told nobody: the first process finds out by its first event that it missed some.
      if (i === 0) await devices[0]!.topics.change(id, ben.id, { kind: 'member', person, state: 'member' })
      topics.push({ id, name, isPrivate: i === 0, items: [], follow: null })
    }
    const muted = new Set<number>()
    const alls: string[] = []
    let operations = 0
    const numbersOf = ({ items }: Topic) => items.map((_, i) => i + 1)
    const windowStart = () => clock.now() - 30 * DAY_MS
    let floorAt = 0
    const floorOf = ({ items }: Topic) => items.filter(({ at }) => at < floorAt).length
    const placeOf = (one: Topic) => ({
      topicId: one.id,
      follow: one.follow?.id ?? 0,
      start: one.follow?.start ?? 0,
      floor: floorOf(one),
    })

    const saveAll = async () => {
      clock.advance(10_000)
      for (const { saving } of devices) await saving.run()
      await devices[0]!.saving.rescue()
    }

    async function publish(one: Topic, item: Omit<Item, 'id' | 'at' | 'deleted'>): Promise<void> {
      const [outcome] = await store.publishBatch([
        {
          topic: one.name,
          actor: { kind: 'person', ...(item.own ? person : ben) },
          source: 'web',
          input: { verb: 'posted', summary: '', metadata: {}, mentions: item.mentions ? [viewer] : [] },
          idempotency: null,
        },
      ])
      if (outcome?.outcome !== 'fresh') throw new Error('the reader may not publish here')
      const { id, seq } = outcome.activity
      const at = clock.now()
      await database.pool.query('update activities set published_at = $2 where id = $1', [id, new Date(at)])
      one.items.push({ ...item, id, at, deleted: false })
      tell({ kind: 'activity', event: { topic: one.id, seq, activity: outcome.activity } })
    }

    /** One of the two processes hears of it by the tail, the other has to ask. */
    function tell(log: LogEvent): void {
      devices[0]!.hear({ kind: log.kind, data: serialise(log) })
    }

    async function changeTopic(topicId: number, edit: TopicEdit): Promise<void> {
      const outcome = await devices[1]!.topics.change(topicId, ben.id, edit)
      if (outcome.outcome !== 'changed') return
      tell({ kind: 'update', event: { topic: topicId, seq: outcome.seq, change: outcome.change } })
    }

    async function perform(one: Step): Promise<void> {
      clock.advance(1_000)
      const place = 'topic' in one ? topics[one.topic]! : topics[0]!
      const { reads, topics: stored } = devices['device' in one ? one.device : 0]!
      switch (one.kind) {
        case 'publish':
          for (let i = 0; i < one.count; i++)
            await publish(place, { own: one.own && i % 2 === 0, mentions: one.mentions && i % 3 === 0 })
          return
        case 'mark': {
          const numbers = [...new Set(one.at)]
            .map((at) => at + 1)
            .filter((no) => place.items[no - 1]?.deleted === false)
          if (numbers.length === 0) return
          await reads.mark(
            viewer,
            await store.places(
              viewer,
              numbers.map((no) => place.items[no - 1]!.id),
            ),
            one.read,
          )
          const group = { ...placeOf(place), expiresAt: 0, numbers: numbers.filter((no) => no > floorOf(place)) }
          naive.apply({ kind: 'mark', id: '', read: one.read, groups: [group] })
          return
        }
        case 'delete':
        case 'edit': {
          const item = place.items[one.at]
          if (!item || item.deleted || one.at < floorOf(place)) return
          const words = { summary: `edit ${operations}`, mentions: one.mentions ? [viewer] : [] }
          const outcome = await (one.kind === 'edit'
            ? changes.rewrite(ben.id, item.id, words)
            : changes.remove(ben.id, item.id))
          if (outcome.outcome !== 'changed') throw new Error('the owner may not change it')
          const { topicId, seq, change } = outcome
          tell({ kind: 'update', event: { topic: topicId, seq, change } })
          if (one.kind === 'delete') item.deleted = true
          // Nobody is mentioned by themselves.
          else item.mentions = one.mentions && !item.own
          return
        }
        case 'all': {
          const shown = topics.map(({ id, items }) => ({ topicId: id, no: Math.max(0, items.length - one.short) }))
          const { undo } = await reads.markUpTo(viewer, shown)
          const reached = topics.filter(({ follow, items }) => follow && items.length > one.short)
          naive.apply({
            kind: 'all',
            id: undo,
            until: 0,
            topics: reached.map((t) => ({ ...placeOf(t), upTo: t.items.length - one.short })),
          })
          alls.unshift(undo)
          return
        }
        case 'undo': {
          const undo = alls[one.back]
          if (undo !== undefined && (await reads.undo(viewer, undo))) naive.apply({ kind: 'undo', id: '', undo })
          return
        }
        case 'follow':
          await stored.follow(viewer, place.id)
          await learnFollows()
          return
        case 'unfollow': {
          const { follow } = await stored.unfollow(viewer, place.id)
          if (follow !== null) {
            await reads.forget(viewer, place.id, follow)
            naive.apply({ kind: 'forget', id: '', topicId: place.id, follow })
          }
          await learnFollows()
          return
        }
        case 'mute': {
          const isMuted = !muted.has(place.id)
          if ((await stored.mute(viewer, place.id, isMuted)) === null) return
          devices[0]!.followsChanged(viewer)
          if (isMuted) muted.add(place.id)
          else muted.delete(place.id)
          return
        }
        case 'leave':
          if (!topics[0]!.isPrivate) return
          for (const state of ['removed', 'member'] as const)
            await changeTopic(topics[0]!.id, { kind: 'member', person, state })
          await learnFollows()
          return
        case 'save':
          await saveAll()
          return
        case 'flush':
          await saveAll()
          await connections[0]!.sendCommand(['FLUSHALL'])
          return
        case 'crash':
          devices[one.device] = openReads(database.pool, connections[one.device]!, clock)
          // The other one begins before it has read anything.
          devices[0]!.tail.isCurrent = true
          if (one.device === 0) devices[0]!.renewFacts()
          return
        case 'kill':
          await saveAll()
          await server.kill()
          for (let i = 0; i < 3; i++) {
            const somewhere = topics[(operations + i) % TOPICS]!
            await publish(somewhere, { own: false, mentions: i === 1 })
            await perform({
              kind: 'mark',
              topic: (operations + i) % TOPICS,
              device: i % 2,
              read: i !== 1,
              at: [i, i + 2, somewhere.items.length - 1],
            })
            await check()
          }
          await perform({ kind: 'all', device: 0, short: 1 })
          await perform({ kind: 'undo', device: one.device, back: 0 })
          await server.restart()
          for (const connection of connections)
            await expect.poll(() => connection.isReady, { timeout: 30_000, interval: 5 }).toBe(true)
          return
        case 'wait': {
          await saveAll()
          clock.advance(one.ms)
          floorAt = windowStart()
          while ((await floors.raiseFloors(new Date(floorAt), 100)) > 0);
          await devices[0]!.audit()
          // Redis has the real time: what would be gone by ours goes by hand.
          for (const key of (await connections[0]!.sendCommand(['KEYS', '*'])) as unknown as string[]) {
            const expires = Number(await connections[0]!.sendCommand(['PEXPIRETIME', key]))
            if (expires > 0 && expires <= clock.now()) await connections[0]!.sendCommand(['DEL', key])
          }
        }
      }
    }

    async function learnFollows(): Promise<void> {
      devices[0]!.followsChanged(viewer)
      const { topics: followed } = await devices[0]!.topics.followed(viewer)
      for (const one of topics) one.follow = followed.find(({ id }) => id === one.id)?.follow ?? null
      for (const { id, follow } of topics) if (!follow) muted.delete(id)
    }

    async function check(): Promise<void> {
      const { reads, topics: stored } = devices[operations++ % 2]!
      const { topics: followed } = await stored.followed(viewer)
      const expected = topics.flatMap((one) => {
        if (!one.follow) return []
        const unread = naive.unread(one.id, one.follow, { floor: floorOf(one), head: one.items.length })
        const counted = unread.filter((no) => !one.items[no - 1]!.own && !one.items[no - 1]!.deleted)
        return [{ one, all: unread.filter((no) => !one.items[no - 1]!.deleted), unread: counted }]
      })
      const found = await reads.unread(viewer, followed)
      for (const { one, unread, all } of expected) {
        const { ranges } = found.find(({ topicId }) => topicId === one.id)!
        expect(ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i))).toEqual(
          unread,
        )
        const flags = await reads.flags(
          viewer,
          numbersOf(one).map((no) => ({ topicId: one.id, no, floor: floorOf(one), follow: one.follow })),
        )
        expect(numbersOf(one).filter((no, i) => !flags[i] && !one.items[no - 1]!.deleted)).toEqual(all)
      }
      const { total, mentions, topics: byTopic, heads } = await reads.counts(viewer)
      expect({ total, mentions, byTopic, heads }).toEqual({
        total: sum(expected.filter(({ one }) => !muted.has(one.id)).map(({ unread }) => unread.length)),
        mentions: sum(expected.map(({ one, unread }) => unread.filter((no) => one.items[no - 1]!.mentions).length)),
        byTopic: Object.fromEntries(
          expected.filter(({ unread }) => unread.length > 0).map(({ one, unread }) => [one.id, unread.length]),
        ),
        heads: Object.fromEntries(expected.map(({ one }) => [one.id, one.items.length])),
      })
    }

    for (const one of topics.slice(0, 2)) await devices[0]!.topics.follow(viewer, one.id)
    await learnFollows()
    for (const one of steps) {
      await perform(one)
      await check()
    }
    expect(SEGMENT_MS).toBeGreaterThan(30 * DAY_MS)
  }

  it('[READ-5] [READ-6] [READ-8] flags, unread numbers and counts are those of a naive replay after every step', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), live), {
      numRuns: 30,
      endOnFailure: true,
    })
  }, 600_000)
})

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)
