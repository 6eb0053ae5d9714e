// What the read state of 100,000 people with 20 topics each takes, as Redis itself reports it, against a bitmap per person over
// activity ids as large as ids have become. Everything is written by the product's own scripts.
import { parseArgs } from 'node:util'
import { openRedis } from '#scripts/testing/redis.ts'
import { emptyReads, type Operation } from '#server/domain/read/person-reads.ts'
import { segmentOf } from '#server/domain/read/segments.ts'
import { connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { createLiveReads } from '#server/redis/read-state.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { type Random, seededRandom, systemClock } from '#shared/clock.ts'
import { round } from './measure.ts'

export const summary = 'Redis memory for the read state of 100,000 people × 20 topics, against flat bitmaps'

const TOPICS = 20
const ALL_TOPICS = 2_000
const TOPIC_NUMBERS_MAX = 50_000
/** Of a person's topics, those with something read out of order: a look into the newest, the rest for later. */
const SCATTERED_TOPICS = 3
const SCATTERED_READS = 25
const SCATTERED_AMONG = 120
/** One person in ten has a few marked unread again. */
const UNREAD_SHARE = 0.1
/** A bitmap that starts at id 0 and holds a read of id 1,000,000: one person's, in the older draft. */
const DRAFT_BYTES_PER_PERSON = 125_000
const AT_ONCE = 500
const DAY_MS = 24 * 3_600_000

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({ args, options: { people: { type: 'string', default: '100000' } } })
  const people = Number(values.people)
  const server = await openRedis(['--appendonly', 'no', '--save', ''])
  const log = createLogger({ mode: 'production', logLevel: 'warn' }, { write: (line) => process.stderr.write(line) })
  const redis = await connectRedis({ socketPath: server.socketPath }, log)
  try {
    const random = seededRandom(9)
    const heads = Array.from({ length: ALL_TOPICS }, () => 200 + Math.floor(random() ** 3 * TOPIC_NUMBERS_MAX))
    const before = await usedBytes(redis)
    const live = createLiveReads(redis, { clock: systemClock, idleMs: 32 * DAY_MS })
    for (let at = 0; at < people; at += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, people - at) }, (_, i) => {
        const viewer = `person-${at + i}-with-an-id-of-the-usual-size`
        return { viewer, operations: historyOf(viewer, heads, random) }
      })
      await Promise.all(batch.map(({ viewer }) => live.restore(viewer, emptyReads(), () => 0)))
      await Promise.all(
        batch.map(({ viewer, operations }) =>
          live.apply(
            viewer,
            operations.map((operation) => ({ operation })),
          ),
        ),
      )
    }
    const withRecent = (await usedBytes(redis)) - before
    await forgetRecent(redis)
    const bytes = (await usedBytes(redis)) - before
    const draft = people * DRAFT_BYTES_PER_PERSON
    return {
      people,
      topics: TOPICS,
      keys: Number(await redis.sendCommand(['DBSIZE'])),
      megabytes: round(bytes / 1e6),
      bytesPerPerson: round(bytes / people, 0),
      megabytesWhileAllWereHereWithinTheHour: round(withRecent / 1e6),
      draftMegabytes: round(draft / 1e6),
      draftTimesOurs: round(draft / bytes, 1),
      goals: { 'at most a fiftieth of the draft': bytes <= draft / 50 },
    }
  } finally {
    redis.destroy()
    await server.stop()
  }
}

function historyOf(viewer: string, heads: readonly number[], random: Random): Operation[] {
  const first = Math.floor(random() * ALL_TOPICS)
  const followed = Array.from({ length: TOPICS }, (_, i) => (first + i * 97) % ALL_TOPICS)
  const place = (topicId: number) => ({ topicId: topicId + 1, follow: topicId + 1, start: 0, floor: 0 })
  const expiresAt = Date.now() + 30 * DAY_MS
  const caughtUp = followed.map((topic, i) => ({
    ...place(topic),
    upTo: heads[topic]! - (i < SCATTERED_TOPICS ? SCATTERED_AMONG : Math.floor(random() * 20)),
  }))
  const groups = followed.slice(0, SCATTERED_TOPICS).flatMap((topic) => {
    const numbers = Array.from(
      { length: SCATTERED_READS },
      () => heads[topic]! - Math.floor(random() * (SCATTERED_AMONG - 2)),
    )
    return [...Map.groupBy(numbers, segmentOf).values()].map((some) => ({ ...place(topic), expiresAt, numbers: some }))
  })
  const operations: Operation[] = [
    // In the past, so that it counts as done when the next one comes.
    { kind: 'all', id: `${viewer}-all`, until: 1, topics: caughtUp },
    { kind: 'mark', id: `${viewer}-marks`, read: true, groups },
  ]
  if (random() >= UNREAD_SHARE) return operations
  const again = { ...place(followed[0]!), expiresAt, numbers: [1, 2, 3] }
  return [...operations, { kind: 'mark', id: `${viewer}-unread`, read: false, groups: [again] }]
}

/** Ids of recent operations live for an hour, and notes of unsaved changes for a second or two. */
async function forgetRecent(redis: RedisConnection): Promise<void> {
  for await (const keys of redis.scanIterator({ MATCH: '*:done', COUNT: 5_000 }))
    if (keys.length > 0) await redis.del(keys)
  await redis.del('reads:changed')
}

async function usedBytes(redis: RedisConnection): Promise<number> {
  const info = String(await redis.sendCommand(['INFO', 'memory']))
  return Number(/used_memory:(\d+)/.exec(info)![1])
}
