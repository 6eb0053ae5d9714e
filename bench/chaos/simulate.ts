// Runs plans against real Redis, Postgres and processes, and compares sets afterwards: everything stored was delivered at
// least once by each handler, the edge has each topic in order without holes, and the dead letters are exactly the poison.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { TestRedis } from '#scripts/testing/redis.ts'
import { createDeliveryProgress } from '#server/db/delivery-progress.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { createTopicStore } from '#server/db/topic-store.ts'
import { placeKey } from '#server/domain/delivery/handlers.ts'
import { connectRedis } from '#server/redis/connection.ts'
import { createDeadLetters } from '#server/redis/dead-letters.ts'
import { createDeliveryQueue } from '#server/redis/delivery-queue.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { breakSomething, type Ground } from './faults.ts'
import { type Plan, printPlan, TOPICS, WORKERS } from './plan.ts'
import { openReceivers, POISON } from './receivers.ts'
import { createWorker } from './workers.ts'

const SETTLE_LIMIT_MS = 60_000
const CHECK_MS = 50

export type SeedReport = { seed: number; ms: number; events: number; hookRepeats: number; poison: number }
export type Backends = { pool: pg.Pool; databaseUrl: string; redisServer: TestRedis; verbose?: boolean }

type Stored = { topicId: number; seq: number; activityId: number | null; summary: string | null }

export class SeedFailed extends Error {}

export async function openSimulator({ pool, databaseUrl, redisServer, verbose = false }: Backends) {
  const log = createLogger({ mode: 'production', logLevel: 'silent' })
  const redis = await connectRedis({ url: redisServer.url }, log)
  const receivers = await openReceivers()
  const { hookUrl, edgeUrl } = receivers
  const settings = { databaseUrl, redisUrl: redisServer.url, hookUrl, edgeUrl, verbose }
  const workers = Array.from({ length: WORKERS }, () => createWorker(settings))
  const outbox = createOutbox(pool)
  const topics = createTopicStore(pool)
  const letters = createDeadLetters(redis)
  const queue = createDeliveryQueue(redis, { consumer: 'judge', deadMax: 1_000 })
  const progress = createDeliveryProgress(pool)
  await pool.query(
    `insert into users (id, name, email, handle, role, created_at, updated_at)
     select h, h, h || '@example.com', h, 'member', now(), now() from unnest(array['ada', 'ben']) h
     on conflict do nothing`,
  )
  for (const worker of workers) worker.start()
  await Promise.all(workers.map((worker) => worker.ready()))

  async function stored(ids: number[]): Promise<Stored[]> {
    const { rows } = await pool.query<{
      topic_id: number
      seq: string
      activity_id: string | null
      summary: string | null
    }>(
      `select e.topic_id, e.seq, e.activity_id, a.summary from events e left join activities a on a.id = e.activity_id
       where e.topic_id = any($1) order by 1, 2`,
      [ids],
    )
    return rows.map((row) => ({
      ...{ topicId: row.topic_id, seq: Number(row.seq), summary: row.summary },
      activityId: row.activity_id === null ? null : Number(row.activity_id),
    }))
  }

  /** What is not as it must be, in words; empty when everything is. */
  async function complaints(ids: number[]): Promise<string[]> {
    const events = await stored(ids)
    const found: string[] = [...receivers.disorder]
    const differ = (what: string, is: Iterable<string>, must: Iterable<string>) => {
      const [has, needs] = [new Set(is), new Set(must)]
      for (const one of needs) if (!has.has(one)) found.push(`${what}: ${one} is missing`)
      for (const one of has) if (!needs.has(one)) found.push(`${what}: ${one} should not be there`)
    }
    const isPoison = (kind: keyof typeof POISON) => (event: Stored) => event.summary?.includes(POISON[kind]) ?? false
    const activities = events.filter(({ activityId }) => activityId !== null)
    const ours = (place: string) => ids.includes(Number(place.split(':')[0]))

    const { rows } = await pool.query<{ activity_id: string }>(
      `select activity_id from mention_notices where topic_id = any($1) and user_id = 'ben'`,
      [ids],
    )
    differ(
      'mentions',
      rows.map(({ activity_id }) => activity_id),
      activities.map(({ activityId }) => String(activityId)),
    )
    differ(
      'webhooks',
      [...receivers.hooks.keys()].filter(ours),
      activities.filter((one) => !isPoison('hook')(one)).map(placeKey),
    )
    const atEdge = ids.flatMap((topicId) =>
      (receivers.streams.get(topicId) ?? []).map((seq) => placeKey({ topicId, seq })),
    )
    differ('edge', atEdge, events.map(placeKey))
    differ('tombstones', [...receivers.tombstones].filter(ours), events.filter(isPoison('edge')).map(placeKey))
    const dead = (await letters.list({}, null, 1_000)).letters.filter(({ topicId }) => ids.includes(topicId))
    differ(
      'dead letters',
      dead.map((one) => `${one.handler} ${placeKey(one)} ${one.class}`),
      [
        ...events.filter(isPoison('hook')).map((one) => `webhooks ${placeKey(one)} permanent`),
        ...events.filter(isPoison('edge')).map((one) => `edge-relay ${placeKey(one)} permanent`),
      ],
    )
    const group = await queue.group()
    if (group.pending > 0) found.push(`${group.pending} entries are pending`)
    const waiting = await queue.scheduleSize()
    if (waiting > 0) found.push(`${waiting} pieces of work are scheduled`)
    return found
  }

  async function settled(ids: number[]): Promise<string[]> {
    const end = performance.now() + SETTLE_LIMIT_MS
    for (;;) {
      const found = await complaints(ids).catch((error: unknown) => [`could not look: ${String(error)}`])
      if (found.length === 0 || performance.now() > end) return found
      await sleep(CHECK_MS)
    }
  }

  return {
    async run(plan: Plan): Promise<SeedReport> {
      const begun = performance.now()
      const names = Array.from({ length: TOPICS }, (_, i) => `chaos/s${plan.seed}-${i}-${Math.floor(begun)}`)
      const ids: number[] = []
      for (const name of names) {
        const topic = await topics.create(
          { id: 'ada', handle: 'ada', name: 'Ada' },
          { name, description: '', visibility: 'public', posting: 'everyone' },
        )
        ids.push(topic!.id)
      }
      let posts = 0
      const publish = (worker: number, topic: number, count: number, poison: 'none' | 'hook' | 'edge' = 'none') => {
        const mark = poison === 'none' ? '' : ` ${POISON[poison]}`
        const summaries = Array.from({ length: count }, () => `post ${++posts} @ben${mark}`)
        workers[worker]!.publish({ topic: names[topic]!, summaries })
      }
      const ground: Ground = { redis, redisServer, outbox, workers, receivers, publish }

      let fault: Promise<void> = Promise.resolve()
      for (const step of plan.steps) {
        if (step.do === 'wait') await sleep(step.ms)
        else if (step.do === 'publish') publish(step.worker, step.topic, step.count, step.poison)
        else {
          // One fault at a time; publishing goes on meanwhile.
          await fault
          fault = breakSomething(ground, step)
          fault.catch(() => {
            // Thrown where it is waited for.
          })
        }
      }
      await fault
      await Promise.all(workers.map((worker) => worker.ready()))
      await sleep(CHECK_MS)
      const found = await settled(ids)
      if (found.length > 0)
        throw new SeedFailed(
          `seed ${plan.seed} failed:\n${found.slice(0, 20).join('\n')}\n\nits schedule:\n${printPlan(plan)}\n\nagain: npm run bench -- chaos --seed ${plan.seed}`,
        )

      const events = await stored(ids)
      const dead = (await letters.list({}, null, 1_000)).letters.filter(({ topicId }) => ids.includes(topicId))
      await progress.record(
        dead.map(({ handler, topicId, seq }) => ({ handler, range: { topicId, from: seq, to: seq } })),
      )
      await letters.discard(dead.map(({ id }) => id))
      const repeats = [...receivers.hooks].filter(([place]) => ids.includes(Number(place.split(':')[0])))
      return {
        ...{ seed: plan.seed, ms: Math.round(performance.now() - begun), events: events.length, poison: dead.length },
        hookRepeats: repeats.reduce((sum, [, times]) => sum + times - 1, 0),
      }
    },

    async stop(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.kill()))
      await receivers.stop()
      queue.close()
      redis.destroy()
    },
  }
}
