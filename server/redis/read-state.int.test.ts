// The script does in Redis what server/domain/read/person-reads.ts does in memory; the two are compared over random histories.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { NUMBERS, newWorld, step, TOPICS, toOperation } from '#server/domain/read/histories.fixture.ts'
import { applyOperation, emptyReads, type Operation, type PersonReads } from '#server/domain/read/person-reads.ts'
import { bitRanges } from '#server/domain/read/segments.ts'
import { isRead, viewOf } from '#server/domain/read/unread.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { connectRedis, type RedisConnection } from './connection.ts'
import { readsSegmentKey } from './keys.ts'
import { createLiveReads } from './read-state.ts'

const quiet = createLogger({ mode: 'production', logLevel: 'silent' }, { write: () => undefined })
const DAY_MS = 24 * 3_600_000

const shape = ({ version, topics, unread, layers }: PersonReads) => ({
  version,
  topics: [...topics]
    .sort(([a], [b]) => a - b)
    .map(([id, { follow, watermark, segments }]) => [id, follow, watermark, bitRanges(segments, watermark)]),
  unread: [...unread]
    .filter(([, listed]) => listed.size > 0)
    .sort(([a], [b]) => a - b)
    .map(([id, listed]) => [id, [...listed].sort((a, b) => a - b)]),
  layers: layers.map(({ id, topics: covered }) => [
    id,
    [...covered]
      .sort(([a], [b]) => a - b)
      .map(([topic, { upTo, aside }]) => [topic, upTo, [...aside].sort((a, b) => a - b)]),
  ]),
})

describe('read state in Redis', () => {
  let server: TestRedis
  let redis: RedisConnection
  let people = 0
  beforeAll(async () => {
    server = await openRedis()
    redis = await connectRedis({ socketPath: server.socketPath }, quiet)
  })
  afterAll(async () => {
    redis.destroy()
    await server.stop()
  })

  const never = () => Date.now() + 1e9

  it('[READ-1] [READ-4] the script and the model agree on states, versions and flags', async () => {
    const clock = { now: Date.now }
    const live = createLiveReads(redis, { clock, idleMs: DAY_MS })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const viewer = `person-${++people}`
        const world = newWorld(Date.now())
        clock.now = () => world.now
        const model = emptyReads()
        await live.restore(viewer, model, never)
        for (const one of steps) {
          const operation = toOperation(world, one)
          if (!operation) continue
          const [version] = (await live.apply(viewer, [{ operation }]))!
          expect(version).toBe(applyOperation(model, operation, world.now) ? model.version : 0)
        }
        expect(shape((await live.load(viewer))!)).toEqual(shape(model))
        const places = TOPICS.flatMap((topicId) =>
          NUMBERS.map((no) => ({ topicId, no, floor: 0, follow: world.follows.get(topicId) ?? null })),
        )
        expect(await live.flags(viewer, places)).toEqual(
          places.map(({ topicId, no, follow }) => isRead(viewOf(model, topicId, follow), no)),
        )
        const again = `${viewer}-restored`
        await live.restore(again, model, never)
        expect(shape((await live.load(again))!)).toEqual(shape(model))
      }),
      {
        numRuns: 1_000,
        // A group that closes a run before the next one marks inside of it.
        examples: [
          [
            [
              { kind: 'mark', topic: 1, at: [2], read: true },
              { kind: 'follow', topic: 1, start: 2 },
              { kind: 'mark', topic: 1, at: [11, 2, 0], read: false },
            ],
          ],
        ],
      },
    )
  }, 180_000)

  const mark = (id: string, numbers: number[], expiresAt: number): Operation => ({
    kind: 'mark',
    id,
    read: true,
    groups: [{ topicId: 1, follow: 1, start: 0, floor: 0, expiresAt, numbers }],
  })

  it('[READ-2] a segment expires with the newest activity marked in it, and marking an older one does not prolong it', async () => {
    const live = createLiveReads(redis, { clock: { now: Date.now }, idleMs: DAY_MS })
    const base = Date.now() + DAY_MS
    await live.restore('expiring', emptyReads(), never)
    const expiry = async () => Number(await redis.sendCommand(['PEXPIRETIME', readsSegmentKey('expiring', 1, 0)]))
    await live.apply('expiring', [{ operation: mark('a', [10], base) }])
    expect(await expiry()).toBe(base)
    await live.apply('expiring', [{ operation: mark('b', [8], base - 5_000) }])
    expect(await expiry()).toBe(base)
    await live.apply('expiring', [{ operation: mark('c', [12], base + 5_000) }])
    expect(await expiry()).toBe(base + 5_000)
  })

  it('[READ-4] five hundred marks are one call of the script, and marks of two devices merge', async () => {
    const live = createLiveReads(redis, { clock: { now: Date.now }, idleMs: DAY_MS })
    await live.restore('busy', emptyReads(), never)
    const odd = Array.from({ length: 500 }, (_, i) => 2 * i + 1)
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await redis.sendCommand(['INFO', 'commandstats'])))![1])
    const before = await calls()
    const versions = await Promise.all([
      live.apply('busy', [{ operation: mark('odd', odd, never()) }]),
      live.apply('busy', [
        {
          operation: mark(
            'even',
            odd.map((no) => no + 1),
            never(),
          ),
        },
      ]),
    ])
    expect((await calls()) - before).toBe(2)
    expect(versions.flat().sort()).toEqual([1, 2])
    expect((await live.load('busy'))!.topics.get(1)).toMatchObject({ watermark: 1_000 })
  })

  it('[READ-8] an operation that is sent twice changes the state once', async () => {
    const live = createLiveReads(redis, { clock: { now: Date.now }, idleMs: DAY_MS })
    await live.restore('twice', emptyReads(), never)
    const operation = mark('same', [1], never())
    expect(await live.apply('twice', [{ operation }, { operation }])).toEqual([1, 0])
    const stored = { operation: mark('waited', [2], never()), order: 5, version: 900 }
    expect(await live.apply('twice', [stored])).toEqual([900])
    expect(await live.apply('twice', [stored])).toEqual([0])
  })
})
