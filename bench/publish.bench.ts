// Publishing through the product's own path (coalescing, publish_batch, log) at several numbers of callers, each of whom
// publishes again when the last publish was answered, beside a bare insert of the same row, one at a time.
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { fillDatabase, topicNameOf } from '#scripts/seed/fill-database.ts'
import { startPostgres } from '#scripts/testing/postgres-server.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import type { ActivityLog } from '#server/app/ports.ts'
import { createPublishActivity } from '#server/app/publish-activity.ts'
import { createRelay } from '#server/app/relay-outbox.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { openPool } from '#server/db/pool.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectRedis } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { quantile, round, spread } from './measure.ts'

export const summary = 'activities per second and time to the log at 1, 8 and 32 callers, beside single-row inserts'

const CALLERS = [1, 8, 32]
const SECONDS = 4
const WARM_UP_SECONDS = 1
const TOPICS = 4
const PEOPLE = 32
/** The bare loop runs before and after the callers, so that a change of the machine's load shows. */
const ROUNDS = 2

const BODY = { type: 'issue', id: '1234', title: 'The build is red' }
const SUMMARY = 'Something that people usually write in one line, with a few words more.'
const METADATA = { build: 77, branch: 'main' }

export async function run(args: string[]): Promise<unknown> {
  const seconds = Number(args[0] ?? SECONDS)
  const postgres = await startPostgres({ fsync: true })
  const redisServer = await openRedis()
  const pool = openPool({ url: postgres.url }, (error) => console.error(error.message))
  const log = createLogger({ mode: 'production', logLevel: 'silent' })
  const redis = await connectRedis({ socketPath: redisServer.socketPath }, log)
  try {
    await migrateDatabase(pool)
    await fillDatabase(pool, { activities: 1_000, topics: TOPICS, people: PEOPLE, follows: TOPICS })
    const bare: number[] = []
    const callers: Record<number, Awaited<ReturnType<typeof publishFor>>[]> = {}
    await publishFor(pool, createActivityLog(redis), 8, WARM_UP_SECONDS)
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await insertFor(postgres.url, seconds))
      for (const count of CALLERS) {
        callers[count] ??= []
        callers[count].push(await publishFor(pool, createActivityLog(redis), count, seconds))
      }
    }
    bare.push(await insertFor(postgres.url, seconds))
    const bareRate = quantile(bare, 0.5)
    const rate = (count: number) => mean(callers[count]!.map((one) => one.perSecond))
    return {
      bareInsert: { perSecond: round(bareRate, 0), runs: bare.map((one) => round(one, 0)) },
      callers: Object.fromEntries(
        CALLERS.map((count) => [
          count,
          {
            perSecond: round(rate(count), 0),
            timesBare: round(rate(count) / bareRate),
            inLogMs: spread(callers[count]!.flatMap((one) => one.inLogMs)),
            runs: callers[count]!.map((one) => round(one.perSecond, 0)),
          },
        ]),
      ),
      ratioAt32: round(rate(32) / bareRate),
      goal: 'ratioAt32 at least 10',
    }
  } finally {
    redis.destroy()
    await pool.end()
    await redisServer.stop()
    await postgres.stop()
  }
}

const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length

async function publishFor(pool: pg.Pool, activityLog: ActivityLog, callers: number, seconds: number) {
  const began = new Map<string, number>()
  const inLogMs: number[] = []
  // Sees an append return, which is when the entry can be read by every tail.
  const watched: ActivityLog = {
    ...activityLog,
    append: async (events) => {
      const results = await activityLog.append(events)
      const now = performance.now()
      for (const { data } of events) {
        const key = /"groupKey":"([^"]+)"/.exec(data)?.[1]
        const start = key === undefined ? undefined : began.get(key)
        if (key === undefined || start === undefined) continue
        began.delete(key)
        inLogMs.push(now - start)
      }
      return results
    },
  }
  const outbox = createOutbox(pool)
  const failures: unknown[] = []
  const publishing = createPublishActivity({
    activities: createActivityStore(pool),
    outbox,
    relay: createRelay(outbox, watched),
    onRelayError: (error) => failures.push(error),
  })
  const start = performance.now()
  const until = start + seconds * 1_000
  let published = 0
  const caller = async (index: number) => {
    const id = `seed-${1 + (index % PEOPLE)}`
    const actor = { kind: 'person' as const, id, handle: id, name: `Person ${1 + (index % PEOPLE)}` }
    for (let turn = 0; performance.now() < until; turn++) {
      const groupKey = `bench-${index}-${turn}`
      began.set(groupKey, performance.now())
      await publishing.publish(
        { actor, source: 'bench', scope: id },
        {
          topic: topicNameOf((index + turn) % TOPICS),
          verb: 'commented',
          object: BODY,
          summary: SUMMARY,
          metadata: METADATA,
          groupKey,
        },
      )
      published += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)))
  await publishing.settle()
  const elapsed = performance.now() - start
  if (failures.length > 0) throw failures[0]
  if (inLogMs.length !== published) throw new Error(`${published} published, ${inLogMs.length} seen in the log`)
  return { perSecond: published / (elapsed / 1_000), inLogMs }
}

/** The same row into the same table, one statement and one commit at a time, on a connection of its own. */
async function insertFor(url: string, seconds: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Numbers of a topic that nobody uses, so that the unique index is met as it is by a publish.
    const { rows } = await client.query<{ no: string }>(
      'select coalesce(max(no), 0) as no from activities where topic_id = 0',
    )
    let no = Number(rows[0]!.no)
    const start = performance.now()
    const until = start + seconds * 1_000
    let inserted = 0
    while (performance.now() < until) {
      no += 1
      inserted += 1
      await client.query({
        name: 'bare_insert',
        text: `insert into activities (topic_id, seq, no, actor_id, verb, object, summary, metadata, group_key, mentions,
            published_at, source)
          values (0, $1, $1, $2, 'commented', $3, $4, $5, $6, '{}', clock_timestamp(), 'bench')`,
        values: [no, 'seed-1', JSON.stringify(BODY), SUMMARY, JSON.stringify(METADATA), `bench-${no}`],
      })
    }
    return inserted / ((performance.now() - start) / 1_000)
  } finally {
    await client.end()
  }
}
