// Publishing through the product's own path (coalescing, publish_batch, log) at several numbers of callers, each of whom
// publishes again when the last publish was answered. Beside it, in every round: the bare insert of the same row on one
// connection and on as many as there are callers, and the same publishes without coalescing.
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { fillDatabase, topicNameOf } from '#scripts/seed/fill-database.ts'
import { startPostgres } from '#scripts/testing/postgres-server.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import type { ActivityLog } from '#server/app/log-ports.ts'
import { createPublishActivity } from '#server/app/publish-activity.ts'
import { createRelay } from '#server/app/relay-outbox.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { openPool } from '#server/db/pool.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectRedis } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { insertFor, type SampleBody } from './bare-insert.ts'
import { perSecond, spread, timesOf } from './measure.ts'

export const summary = 'activities per second and time to the log at 1, 8 and 32 callers, beside single-row inserts'

const CALLERS = [1, 8, 32]
const MOST = Math.max(...CALLERS)
const WARM_UP_SECONDS = 1
const TOPICS = 4
const GOAL = 10

const BODY: SampleBody = {
  verb: 'commented',
  object: { type: 'issue', id: '1234', title: 'The build is red' },
  summary: 'Something that people usually write in one line, with a few words more.',
  metadata: { build: 77, branch: 'main' },
}

export async function run(args: string[]): Promise<unknown> {
  const options = readOptions(args)
  // A flush of this disk may be quicker than that of a database elsewhere: Postgres can be told to wait before it.
  const slower = { commit_delay: String(options.flushMs * 1_000), commit_siblings: '0' }
  const postgres = await startPostgres({ fsync: true, settings: options.flushMs > 0 ? slower : {} })
  const redisServer = await openRedis()
  const pool = openPool({ url: postgres.url }, (error) => console.error(error.message))
  const redis = await connectRedis(
    { socketPath: redisServer.socketPath },
    createLogger({ mode: 'production', logLevel: 'silent' }),
  )
  try {
    await migrateDatabase(pool)
    await fillDatabase(pool, { activities: 1_000, topics: TOPICS, people: MOST, follows: TOPICS })
    return await measure({ pool, log: createActivityLog(redis), url: postgres.url, ...options })
  } finally {
    redis.destroy()
    await pool.end()
    await redisServer.stop()
    await postgres.stop()
  }
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      'flush-ms': { type: 'string', default: '0' },
    },
  })
  return { seconds: Number(values.seconds), rounds: Number(values.rounds), flushMs: Number(values['flush-ms']) }
}

type Bench = { pool: pg.Pool; log: ActivityLog; url: string; seconds: number; rounds: number; flushMs: number }

async function measure({ pool, log, url, seconds, rounds, flushMs }: Bench) {
  const one: number[] = []
  const bare = new Map(CALLERS.map((count) => [count, [] as number[]]))
  const alone = new Map(CALLERS.map((count) => [count, [] as number[]]))
  const coalesced = new Map(CALLERS.map((count) => [count, { rates: [] as number[], inLogMs: [] as number[] }]))
  await publishFor({ pool, log, callers: MOST, seconds: WARM_UP_SECONDS, coalesce: true })
  for (let round = 0; round < rounds; round++) {
    for (const callers of CALLERS) {
      bare.get(callers)!.push(await insertFor(url, callers, seconds, BODY))
      alone.get(callers)!.push((await publishFor({ pool, log, callers, seconds, coalesce: false })).rate)
      const { rate, inLogMs } = await publishFor({ pool, log, callers, seconds, coalesce: true })
      coalesced.get(callers)!.rates.push(rate)
      coalesced.get(callers)!.inLogMs.push(...inLogMs)
    }
    one.push(bare.get(1)!.at(-1)!)
    console.error(`round ${round + 1} of ${rounds}`)
  }
  const results = CALLERS.map((callers) => {
    const { rates, inLogMs } = coalesced.get(callers)!
    return {
      callers,
      publish: { ...perSecond(rates), callToLogMs: spread(inLogMs) },
      bareInsertSameCallers: { ...perSecond(bare.get(callers)!), publishTimes: timesOf(rates, bare.get(callers)!) },
      bareInsertOneCaller: { ...perSecond(one), publishTimes: timesOf(rates, one) },
      publishNotCoalesced: { ...perSecond(alone.get(callers)!), publishTimes: timesOf(rates, alone.get(callers)!) },
    }
  })
  const { bareInsertSameCallers, bareInsertOneCaller } = results.find(({ callers }) => callers === MOST)!
  return {
    addedFlushMs: flushMs,
    results,
    goal: {
      atLeastTimes: GOAL,
      timesBareInsertOneCaller: bareInsertOneCaller.publishTimes,
      timesBareInsertSameCallers: bareInsertSameCallers.publishTimes,
      met: bareInsertSameCallers.publishTimes >= GOAL,
    },
  }
}

type Publishing = { pool: pg.Pool; log: ActivityLog; callers: number; seconds: number; coalesce: boolean }

async function publishFor({ pool, log, callers, seconds, coalesce }: Publishing) {
  const { watched, began, inLogMs } = watch(log)
  const failures: unknown[] = []
  const outbox = createOutbox(pool)
  // One publisher for all coalesces; one for each caller has nothing to coalesce.
  const publishers = Array.from({ length: coalesce ? 1 : callers }, () =>
    createPublishActivity({
      activities: createActivityStore(pool),
      outbox,
      relay: createRelay(outbox, watched),
      onRelayError: (error) => failures.push(error),
    }),
  )
  const start = performance.now()
  const until = start + seconds * 1_000
  let published = 0
  const caller = async (index: number) => {
    const id = `seed-${1 + index}`
    const actor = { kind: 'person' as const, id, handle: id, name: `Person ${1 + index}` }
    const { publish } = publishers[index % publishers.length]!
    for (let turn = 0; performance.now() < until; turn++) {
      const groupKey = `bench-${index}-${turn}`
      began.set(groupKey, performance.now())
      const topic = topicNameOf((index + turn) % TOPICS)
      await publish({ actor, source: 'bench', scope: id }, { topic, groupKey, ...BODY })
      published += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)))
  await Promise.all(publishers.map(({ settle }) => settle()))
  const elapsed = performance.now() - start
  if (failures.length > 0) throw failures[0]
  // Without coalescing a later commit may overtake an earlier one on its way to the log, which then takes it from the
  // outbox together with the earlier one: seen once all the same.
  if (inLogMs.length !== published) throw new Error(`${published} published, ${inLogMs.length} seen in the log`)
  return { rate: published / (elapsed / 1_000), inLogMs }
}

/** Sees an append return, which is when the entry can be read by every tail. */
function watch(log: ActivityLog) {
  const began = new Map<string, number>()
  const inLogMs: number[] = []
  const watched: ActivityLog = {
    ...log,
    append: async (events) => {
      const results = await log.append(events)
      const now = performance.now()
      events.forEach(({ data }, index) => {
        const key = /"groupKey":"([^"]+)"/.exec(data)?.[1]
        const start = key === undefined ? undefined : began.get(key)
        if (key === undefined || start === undefined || results[index]!.status === 'gap') return
        began.delete(key)
        inLogMs.push(now - start)
      })
      return results
    },
  }
  return { watched, began, inLogMs }
}
