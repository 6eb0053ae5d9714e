// A page of 50 for people who follow 200 of 10,000 topics, on real Postgres, over 100,000 activities and over 1,000,000.
// Typical people follow busy topics and quiet ones; the others only topics that have been silent since the oldest part of
// the history. In the same turns a LATERAL top-k query (the newest 50 of each topic, and the newest 50 of those) gives the
// same pages.
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { fillDatabase, firstColdTopic, topicNameOf } from '#scripts/seed/fill-database.ts'
import { startPostgres } from '#scripts/testing/postgres-server.ts'
import { feedPageSql, ITEM_COLUMNS, ITEM_JOINS, mayView } from '#server/db/feed-sql.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { openPool } from '#server/db/pool.ts'
import { quantile, round, spread } from './measure.ts'

export const summary =
  'a page of 50 of 200 followed topics among 10,000, at 100k and 1M activities, beside LATERAL top-k'

const TOPICS = 10_000
const FOLLOWS = 200
const LIMIT = 50
/** The first half of them are typical. */
const PEOPLE = 20
const WARM_UP_TURNS = 5
const COLD_AT_MOST = 2
/** Ten times the activities may cost a level more in each index, and noise; not more. */
const GROWTH_AT_MOST = 1.25

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      small: { type: 'string', default: '100000' },
      large: { type: 'string', default: '1000000' },
      turns: { type: 'string', default: '60' },
    },
  })
  const postgres = await startPostgres({ fsync: true, settings: { shared_buffers: '1GB' } })
  const pool = openPool({ url: postgres.url }, (error) => console.error(error.message))
  try {
    await migrateDatabase(pool)
    const small = await measureAt(pool, Number(values.small), Number(values.turns))
    const large = await measureAt(pool, Number(values.large), Number(values.turns))
    return { topics: TOPICS, follows: FOLLOWS, limit: LIMIT, small, large, goals: judge(small, large) }
  } finally {
    await pool.end()
    await postgres.stop()
  }
}

async function measureAt(pool: pg.Pool, activities: number, turns: number) {
  // A history of its own for each size: the cold topics hold the oldest share of it.
  await pool.query('truncate activities, events, topics cascade')
  await fillDatabase(pool, { activities, topics: TOPICS, people: PEOPLE, follows: FOLLOWS })
  const people = await pool.query<{ id: string }>('select id from users order by id')
  const ids = people.rows.map(({ id }) => id)
  const typical = ids.slice(0, PEOPLE / 2)
  const cold = ids.slice(PEOPLE / 2)
  await followOnlyColdTopics(pool, cold)
  await pool.query('vacuum analyze')
  console.error(`${activities} activities are there`)
  return { activities, typical: await measure(pool, typical, turns), cold: await measure(pool, cold, turns) }
}

async function followOnlyColdTopics(pool: pg.Pool, people: string[]): Promise<void> {
  const names = Array.from({ length: FOLLOWS }, (_, index) => topicNameOf(firstColdTopic(TOPICS) + index))
  await pool.query('delete from follows where user_id = any($1)', [people])
  await pool.query(
    `insert into follows (user_id, topic_id) select p.id, t.id from unnest($1::text[]) p(id), topics t where t.name = any($2)`,
    [people, names],
  )
}

type Statement = { name: string; text: string; values: unknown[] }

const ours = (viewer: string): Statement =>
  feedPageSql({ viewer, before: null, limit: LIMIT, filter: { kind: 'all' }, topicId: null, verb: null })

const lateral = (viewer: string): Statement => ({
  name: 'lateral_top_k',
  text: `select ${ITEM_COLUMNS} from (
      select c.id from follows f
      cross join lateral (
        select a.id from activities a where a.topic_id = f.topic_id and a.id < $3 order by a.id desc limit $2) c
      where f.user_id = $1 and ${mayView('f.topic_id', '$1')}
      order by c.id desc limit $2) picked
    join activities a on a.id = picked.id ${ITEM_JOINS} order by a.id desc`,
  values: [viewer, LIMIT, Number.MAX_SAFE_INTEGER],
})

/** Turn by turn, each person, both queries: a change of the machine's load meets both alike. */
async function measure(pool: pg.Pool, people: string[], turns: number) {
  const oursMs: number[] = []
  const lateralMs: number[] = []
  for (let turn = 0; turn < turns + WARM_UP_TURNS; turn++) {
    for (const viewer of people) {
      const first = await timed(pool, ours(viewer))
      const second = await timed(pool, lateral(viewer))
      if (first.ids.length !== LIMIT || first.ids.join() !== second.ids.join())
        throw new Error(`the two queries do not give ${viewer} the same full page`)
      if (turn < WARM_UP_TURNS) continue
      oursMs.push(first.ms)
      lateralMs.push(second.ms)
    }
  }
  return {
    pageMs: spread(oursMs),
    lateralMs: spread(lateralMs),
    lateralTimesPage: {
      p50: round(quantile(lateralMs, 0.5) / quantile(oursMs, 0.5)),
      p95: round(quantile(lateralMs, 0.95) / quantile(oursMs, 0.95)),
    },
  }
}

async function timed(pool: pg.Pool, statement: Statement): Promise<{ ms: number; ids: string[] }> {
  const start = performance.now()
  const { rows } = await pool.query<{ id: string }>(statement)
  return { ms: performance.now() - start, ids: rows.map(({ id }) => id) }
}

type Measured = Awaited<ReturnType<typeof measureAt>>

function judge(small: Measured, large: Measured) {
  const coldTimesTypical = round(large.cold.pageMs.p95 / large.typical.pageMs.p95)
  const growth = round(large.typical.pageMs.p95 / small.typical.pageMs.p95)
  const growthP50 = round(large.typical.pageMs.p50 / small.typical.pageMs.p50)
  const ahead = ({ typical, cold }: Measured) =>
    Math.min(...[typical, cold].flatMap(({ lateralTimesPage }) => [lateralTimesPage.p50, lateralTimesPage.p95]))
  return {
    cold: { timesTypicalP95: coldTimesTypical, atMost: COLD_AT_MOST, met: coldTimesTypical <= COLD_AT_MOST },
    growth: {
      largeTimesSmallP50: growthP50,
      largeTimesSmallP95: growth,
      atMost: GROWTH_AT_MOST,
      met: growth <= GROWTH_AT_MOST,
    },
    lateral: { leastTimesPageSmall: ahead(small), leastTimesPageLarge: ahead(large), met: ahead(large) > 1 },
  }
}
