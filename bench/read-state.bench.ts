// Flags of a page of 50 and all unread counts, for people who follow 200 topics, on real Postgres and Redis. In the same turns
// the same pages are answered by a flat bitmap over activity ids (50 GETBITs in one pipeline), by a Postgres LEFT JOIN on
// a table of reads, and by a bare MGET of the keys that we fetch, whose bits nobody looks at. All but the last must agree.
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { fillDatabase } from '#scripts/seed/fill-database.ts'
import { startPostgres } from '#scripts/testing/postgres-server.ts'
import { openReads } from '#scripts/testing/reads.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import type { ReadPlace } from '#server/app/read-ports.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { openPool } from '#server/db/pool.ts'
import { segmentOf } from '#server/domain/read/segments.ts'
import { connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { readsKey, readsSegmentKey } from '#server/redis/keys.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { seededRandom } from '#shared/clock.ts'
import { perSecond, round, spread, timesOf } from './measure.ts'

export const summary =
  'flags of 50 items and all unread counts for followers of 200 topics, beside a flat bitmap, LEFT JOIN and MGET'

const TOPICS = 200
const PEOPLE = 10
const PAGES = 8
const LIMIT = 50
const CALLERS = 32
/** Of each topic's newest this many, those on the pages shown were read in no order, three in five; of the rest everything. */
const UNSEEN = 20
const READ_SHARE = 0.6

type Page = { viewer: string; ids: number[]; places: ReadPlace[]; keys: string[] }
type Reads = ReturnType<typeof openReads>
type Way = { name: string; answer: (page: Page) => Promise<unknown> }

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      small: { type: 'string', default: '100000' },
      large: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '1.5' },
    },
  })
  const postgres = await startPostgres({ fsync: true, settings: { shared_buffers: '1GB' } })
  const server = await openRedis(['--appendonly', 'no', '--save', ''])
  const pool = openPool({ url: postgres.url }, (error) => console.error(error.message))
  const log = createLogger({ mode: 'production', logLevel: 'warn' }, { write: (line) => process.stderr.write(line) })
  const redis = await connectRedis({ socketPath: server.socketPath }, log)
  try {
    await migrateDatabase(pool)
    await pool.query('create table reads (user_id text, activity_id bigint, primary key (user_id, activity_id))')
    const pace = { rounds: Number(values.rounds), ms: Number(values.seconds) * 1_000 }
    const small = await measureAt({ pool, redis, activities: Number(values.small), ...pace })
    const large = await measureAt({ pool, redis, activities: Number(values.large), ...pace })
    return { topics: TOPICS, limit: LIMIT, callers: CALLERS, small, large, goals: judge(large) }
  } finally {
    redis.destroy()
    await server.stop()
    await pool.end()
    await postgres.stop()
  }
}

type Setting = { pool: pg.Pool; redis: RedisConnection; activities: number; rounds: number; ms: number }

async function measureAt({ pool, redis, activities, rounds, ms }: Setting) {
  await pool.query('truncate activities, events, topics, reads, read_states cascade')
  await redis.sendCommand(['FLUSHALL'])
  await fillDatabase(pool, { activities, topics: TOPICS, people: PEOPLE, follows: TOPICS })
  // Read a few minutes ago: what was marked as a whole can no longer be undone.
  const clock = { now: () => Date.now() - 600_000 }
  const parts = openReads(pool, redis, clock)
  await parts.facts.renew()
  // Nothing is published while it is measured: what is in memory is as a tail would keep it.
  parts.tail.isCurrent = true
  const pages = await readAndPage(pool, redis, parts, () => {
    clock.now = Date.now
  })
  await pool.query('vacuum analyze')
  console.error(`${activities} activities are there and were read`)
  const ways = waysOf(pool, redis, parts)
  await compare(ways.slice(0, 3), pages)

  const figures = ways.map((way) => ({
    ...way,
    rates: [] as number[],
    cpuUs: [] as number[],
    latencies: [] as number[],
  }))
  for (let turn = 0; turn <= rounds; turn++)
    for (const { answer, rates, cpuUs, latencies } of figures) {
      const together = await runFor(ms, CALLERS, pages, answer)
      const alone = await runFor(ms / 4, 1, pages, answer)
      // The first turn warms up.
      if (turn === 0) continue
      rates.push(together.perSecond)
      cpuUs.push(together.cpuUs)
      latencies.push(...alone.latencies)
    }
  const counts: number[] = []
  for (let turn = 0; turn < 60; turn++)
    for (const viewer of new Set(pages.map((page) => page.viewer))) {
      const from = performance.now()
      await parts.reads.counts(viewer)
      if (turn >= 10) counts.push(performance.now() - from)
    }
  const [ours, , join, bare] = figures.map(({ rates }) => rates)
  return {
    activities,
    keysPerPage: round(pages.reduce((sum, { keys }) => sum + keys.length, 0) / pages.length),
    ways: Object.fromEntries(
      figures.map(({ name, rates, cpuUs, latencies }) => [
        name,
        { pages: perSecond(rates), aloneMs: spread(latencies), nodeCpuUs: round(Math.min(...cpuUs)) },
      ]),
    ),
    timesLeftJoin: timesOf(ours!, join!),
    bareMgetTimesOurs: timesOf(bare!, ours!),
    countsMs: spread(counts),
  }
}

/** Everybody reads most of it; the pages are those that they then see. */
async function readAndPage(
  pool: pg.Pool,
  redis: RedisConnection,
  { topics, reads }: Reads,
  later: () => void,
): Promise<Page[]> {
  const store = createActivityStore(pool)
  const random = seededRandom(4)
  const { rows: people } = await pool.query<{ id: string }>('select id from users order by id')
  const pages: Page[] = []
  for (const { id: viewer } of people) {
    const { topics: followed } = await topics.followed(viewer)
    const shown = followed.map(({ id, no }) => ({ topicId: id, no: Math.max(0, no - UNSEEN) }))
    await reads.markUpTo(viewer, shown)
  }
  later()
  for (const { id: viewer } of people) {
    const { topics: followed } = await topics.followed(viewer)
    const seen = []
    for (let page = 0, before: number | null = null; page < PAGES; page++) {
      const query = { viewer, before, limit: LIMIT, filter: { kind: 'all' } as const, topicId: null, verb: null }
      const items = await store.page(query)
      before = items.at(-1)!.id
      seen.push(items)
    }
    const marked = seen.flat().filter(() => random() < READ_SHARE)
    const places = await store.places(
      viewer,
      marked.map(({ id }) => id),
    )
    for (let at = 0; at < places.length; at += 500) await reads.mark(viewer, places.slice(at, at + 500), true)
    const follows = new Map(followed.map((topic) => [topic.id, topic]))
    for (const items of seen) {
      const all = items.map(({ topic, no }) => {
        const { floor, follow } = follows.get(topic.id)!
        return { topicId: topic.id, no, floor, follow }
      })
      const keys = new Set(all.map(({ topicId, no }) => readsSegmentKey(viewer, topicId, segmentOf(no))))
      pages.push({ viewer, ids: items.map(({ id }) => id), places: all, keys: [readsKey(viewer), ...keys] })
    }
    await fillReferences(pool, redis, viewer, pages.slice(-PAGES), reads)
  }
  return pages
}

async function fillReferences(
  pool: pg.Pool,
  redis: RedisConnection,
  viewer: string,
  pages: Page[],
  reads: Reads['reads'],
) {
  for (const { ids, places } of pages) {
    const flags = await reads.flags(viewer, places)
    const read = ids.filter((_, i) => flags[i])
    await Promise.all(read.map((id) => redis.sendCommand(['SETBIT', flatKey(viewer), String(id), '1'])))
    await pool.query('insert into reads select $1, unnest($2::bigint[])', [viewer, read])
  }
  // What was read before the pages shown: the join's table has a row for each of the newest, as after a month of reading.
  await pool.query(
    `insert into reads select $1, a.id from activities a where a.id < $2 order by a.id desc limit 50000`,
    [viewer, pages.at(-1)!.ids.at(-1)],
  )
}

const flatKey = (viewer: string) => `flat:{${viewer}}`

const waysOf = (pool: pg.Pool, redis: RedisConnection, { reads }: Reads): Way[] => [
  { name: 'segments', answer: ({ viewer, places }) => reads.flags(viewer, places) },
  {
    name: 'flatBitmap',
    answer: async ({ viewer, ids }) => {
      const bits = await Promise.all(ids.map((id) => redis.sendCommand(['GETBIT', flatKey(viewer), String(id)])))
      return bits.map((bit) => Number(bit) === 1)
    },
  },
  {
    name: 'leftJoin',
    answer: async ({ viewer, ids }) => {
      const { rows } = await pool.query<{ read: boolean }>({
        name: 'left_join',
        text: `select r.user_id is not null as read from unnest($2::bigint[]) with ordinality as p(id, place)
          left join reads r on r.user_id = $1 and r.activity_id = p.id order by p.place`,
        values: [viewer, ids],
      })
      return rows.map(({ read }) => read)
    },
  },
  { name: 'bareMget', answer: ({ keys }) => redis.sendCommand(['MGET', ...keys]) },
]

async function compare(ways: Way[], pages: Page[]): Promise<void> {
  for (const page of pages) {
    const answers = await Promise.all(ways.map(({ answer }) => answer(page)))
    if (new Set(answers.map((answer) => JSON.stringify(answer))).size !== 1)
      throw new Error(`the ways do not agree on a page of ${page.viewer}`)
  }
}

async function runFor(ms: number, callers: number, pages: Page[], answer: Way['answer']) {
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const from = performance.now()
  const until = from + ms
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let at = caller; performance.now() < until; at++) {
        const started = performance.now()
        await answer(pages[at % pages.length]!)
        latencies.push(performance.now() - started)
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - from) / 1_000
  return { perSecond: latencies.length / seconds, latencies, cpuUs: (user + system) / latencies.length }
}

const judge = ({ timesLeftJoin, bareMgetTimesOurs, countsMs, ways }: Awaited<ReturnType<typeof measureAt>>) => ({
  'at least 20 times the pages of a LEFT JOIN': timesLeftJoin >= 20,
  'within 1.3 times of a bare MGET': bareMgetTimesOurs <= 1.3,
  'a page of flags p95 at most 11 ms': ways.segments!.aloneMs.p95 <= 11,
  'counts of 200 topics p95 at most 2 ms': countsMs.p95 <= 2,
})
