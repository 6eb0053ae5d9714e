// Entries through the consumer group with a handler that does nothing, beside a bare loop of XREADGROUP and XACK over the same
// entries in the same round; and how long it takes until what a killed consumer had pending is done by another.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Registry } from 'prom-client'
import { createDeliveryProgress } from '#server/db/delivery-progress.ts'
import { createTopicStore } from '#server/db/topic-store.ts'
import { createDelivery, type DeliveryTimes } from '#server/delivery/delivery.ts'
import { DONE, type Handler } from '#server/delivery/handler.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectBeside, connectRedis, type RedisConnection } from '#server/redis/connection.ts'
import { createDeliveryQueue } from '#server/redis/delivery-queue.ts'
import { DELIVERY_GROUP, LOG_STREAM } from '#server/redis/keys.ts'
import { createProcessBoard } from '#server/redis/process-board.ts'
import { createDeliveryMetrics } from '#server/telemetry/delivery-metrics.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { systemClock, systemRandom } from '#shared/clock.ts'
import { type BenchBackends, openBenchBackends } from './backends.ts'
import { perSecond, round, timesOf } from './measure.ts'

export const summary = 'entries per second through the group beside bare XREADGROUP + XACK; recovery of 10,000 pending'

const GOAL = 0.6
const TOPICS = 8
const READ_COUNT = 500
const BARE_GROUP = 'bare'
const CHECK_MS = 5
/** Pending for so long, entries are taken for orphans; in the product five minutes. */
const IDLE_MS = 500
/** About the size of an activity with an object and a line of text. */
const DATA = JSON.stringify({ topic: 1, seq: 1, activity: { summary: 'x'.repeat(600) } })

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      entries: { type: 'string', default: '50000' },
      rounds: { type: 'string', default: '3' },
      pending: { type: 'string', default: '10000' },
    },
  })
  const backends = await openBenchBackends()
  const log = createLogger({ mode: 'production', logLevel: 'silent' })
  const redis = await connectRedis({ url: backends.redisServer.url }, log)
  try {
    const entries = await fill(backends, redis, Number(values.entries))
    const bare: number[] = []
    const ours: number[] = []
    // The first round warms both up.
    for (let no = 0; no <= Number(values.rounds); no++) {
      const rates = [await bareLoop(redis, entries), await throughGroup(backends, redis, entries)] as const
      if (no === 0) continue
      bare.push(rates[0])
      ours.push(rates[1])
    }
    const ratio = timesOf(ours, bare)
    return {
      entries,
      bare: perSecond(bare),
      delivery: perSecond(ours),
      ...{ ratio, goal: GOAL, met: ratio >= GOAL },
      recovery: await recover(backends, redis, Number(values.pending)),
    }
  } finally {
    redis.destroy()
    await backends.stop()
  }
}

async function fill({ pool }: BenchBackends, redis: RedisConnection, entries: number): Promise<number> {
  await pool.query(
    `insert into users (id, name, email, handle, role, created_at, updated_at)
     values ('ada', 'Ada', 'ada@example.com', 'ada', 'member', now(), now())`,
  )
  const topics = createTopicStore(pool)
  const log = createActivityLog(redis)
  const owner = { id: 'ada', handle: 'ada', name: 'Ada' }
  const each = Math.ceil(entries / TOPICS)
  for (let no = 0; no < TOPICS; no++) {
    const settings = { description: '', visibility: 'public', posting: 'everyone' } as const
    const topic = await topics.create(owner, { name: `bench/topic-${no}`, ...settings })
    await log.append(
      Array.from({ length: each }, (_, i) => ({
        ...{ topicId: topic!.id, seq: i + 1, base: 0, again: false, kind: 'activity' as const, data: DATA },
      })),
    )
  }
  return each * TOPICS
}

/** As little as a reader can do: what it got is not even looked at. */
async function bareLoop(redis: RedisConnection, entries: number): Promise<number> {
  await newGroup(redis, BARE_GROUP)
  const reader = await connectBeside(redis)
  const begun = performance.now()
  for (let done = 0; done < entries; ) {
    const reply = (await reader.sendCommand([
      ...['XREADGROUP', 'GROUP', BARE_GROUP, 'one', 'COUNT', String(READ_COUNT), 'STREAMS', LOG_STREAM, '>'],
    ])) as unknown as [string, [string, string[]][]][]
    const ids = reply[0]![1].map(([id]) => id)
    await redis.sendCommand(['XACK', LOG_STREAM, BARE_GROUP, ...ids])
    done += ids.length
  }
  const rate = (entries * 1_000) / (performance.now() - begun)
  reader.destroy()
  await redis.sendCommand(['XGROUP', 'DESTROY', LOG_STREAM, BARE_GROUP])
  return rate
}

async function throughGroup(backends: BenchBackends, redis: RedisConnection, entries: number): Promise<number> {
  await newGroup(redis, DELIVERY_GROUP)
  let done = 0
  const delivery = startDelivery(backends, redis, (count) => {
    done += count
  })
  const begun = performance.now()
  while (done < entries || (await pendingOf(redis)) > 0) await sleep(CHECK_MS)
  const rate = (entries * 1_000) / (performance.now() - begun)
  await delivery.stop()
  return rate
}

/** Somebody read these and died; measured from the moment at which they count as orphans. */
async function recover(backends: BenchBackends, redis: RedisConnection, pending: number) {
  await newGroup(redis, DELIVERY_GROUP)
  await redis.sendCommand([
    ...['XREADGROUP', 'GROUP', DELIVERY_GROUP, 'killed', 'COUNT', String(pending), 'STREAMS', LOG_STREAM, '>'],
  ])
  await redis.sendCommand(['XGROUP', 'SETID', LOG_STREAM, DELIVERY_GROUP, '$'])
  // Adopted work that is known to be finished is not done again: here nothing is.
  await backends.pool.query('delete from delivery_progress')
  const orphans = await pendingOf(redis)
  await sleep(IDLE_MS)
  let done = 0
  const times = { pelIdleMs: IDLE_MS, adoptEveryMs: 50, retryMs: 20 }
  const begun = performance.now()
  const delivery = startDelivery(
    backends,
    redis,
    (count) => {
      done += count
    },
    times,
  )
  while (done < orphans || (await pendingOf(redis)) > 0) await sleep(CHECK_MS)
  const ms = round(performance.now() - begun, 0)
  await delivery.stop()
  return { pending: orphans, ms, perSecond: round((orphans * 1_000) / ms, 0) }
}

function startDelivery(
  { pool }: BenchBackends,
  redis: RedisConnection,
  onDone: (count: number) => void,
  times: Partial<DeliveryTimes> = {},
) {
  const handler: Handler = {
    name: 'mentions',
    handle: async (entries) => {
      onDone(entries.length)
      return entries.map(() => DONE)
    },
  }
  const name = `bench-${performance.now()}`
  const delivery = createDelivery({
    ...{ name, handlers: [handler], connections: () => 0, times, clock: systemClock, random: systemRandom },
    queue: createDeliveryQueue(redis, { consumer: name, deadMax: 1_000 }),
    progress: createDeliveryProgress(pool),
    board: createProcessBoard(redis, systemClock),
    metrics: createDeliveryMetrics(new Registry()),
    log: createLogger({ mode: 'production', logLevel: 'silent' }),
    identity: { pid: process.pid, host: 'bench' },
  })
  delivery.start()
  return delivery
}

async function newGroup(redis: RedisConnection, group: string): Promise<void> {
  await redis.sendCommand(['XGROUP', 'DESTROY', LOG_STREAM, group])
  await redis.sendCommand(['XGROUP', 'CREATE', LOG_STREAM, group, '0'])
}

async function pendingOf(redis: RedisConnection): Promise<number> {
  const [count] = (await redis.sendCommand(['XPENDING', LOG_STREAM, DELIVERY_GROUP])) as unknown as [number]
  return Number(count)
}
