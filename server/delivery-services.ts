// Builds and wires delivery: which handlers run, and what operators can see and do. A part of services.ts with a file of
// its own, because it is used without the rest as well (npm run ops, the fault simulator).
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Clock, Random } from '#shared/clock.ts'
import type { DeliveryQueue } from './app/delivery-ports.ts'
import { DeliveryTrends, type Rates, type Trends } from './app/delivery-trends.ts'
import type { Outbox } from './app/log-ports.ts'
import { createManageDeadLetters, type ManageDeadLetters } from './app/manage-dead-letters.ts'
import { createWatchDelivery, type DeliveryPicture } from './app/watch-delivery.ts'
import * as tuning from './config/tuning.ts'
import { createActionJournal } from './db/delivery-actions.ts'
import { createDeliveryProgress } from './db/delivery-progress.ts'
import { createMentionNotices, createPublicTarget } from './db/handler-stores.ts'
import { createTopicNames } from './db/topic-names.ts'
import { createDelivery, type Delivery, type DeliveryTimes } from './delivery/delivery.ts'
import type { Handler } from './delivery/handler.ts'
import { createEdgeRelayHandler } from './delivery/handlers/edge-relay.ts'
import { createMentionsHandler } from './delivery/handlers/mentions.ts'
import { createWebhooksHandler, type Planner } from './delivery/handlers/webhooks.ts'
import type { EdgeRelay } from './edge-services.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createDeadLetters } from './redis/dead-letters.ts'
import { createDeliveryQueue } from './redis/delivery-queue.ts'
import { createProcessBoard } from './redis/process-board.ts'
import { createDeliveryMetrics } from './telemetry/delivery-metrics.ts'
import type { Log } from './telemetry/logger.ts'
import { createRunbooks, type Runbooks } from './telemetry/runbooks.ts'

/** Where handlers that leave the house go; null: they are off. */
export type DeliveryTargets = {
  webhook: { url: string; secret: string } | null
  edge: EdgeRelay | null
}

export type DeliveryOptions = {
  pool: pg.Pool
  redis: RedisConnection
  outbox: Outbox
  targets: DeliveryTargets
  /** Webhooks that people set up; left out where nobody can. */
  planner?: Planner | undefined
  registry: Registry
  connections: () => number
  beatAgeMs: () => number | null
  log: Log
  clock: Clock
  random: Random
  times?: Partial<DeliveryTimes> | undefined
}

export type DeliveryServices = {
  delivery: Delivery
  queue: DeliveryQueue
  ops: {
    /** `rates`: handled per second, by handler, over the last few seconds. */
    picture: () => Promise<DeliveryPicture & { rates: Rates | null }>
    trends: (minutes: number) => Trends
    deadLetters: ManageDeadLetters
    runbooks: Runbooks
  }
  /** Reads the state of the group into the metrics and the trends. */
  refreshFigures: () => Promise<void>
}

const SCHEDULE_SHOWN = 20
/** The console waits no longer than this for a part that does not answer. */
const ANSWER_MS = 1_500

export function createDeliveryServices(options: DeliveryOptions): DeliveryServices {
  const { pool, redis, outbox, log, clock, random } = options
  const host = hostname()
  const name = `${host.slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
  const queue = createDeliveryQueue(redis, { consumer: name, deadMax: tuning.DEAD_LETTERS_MAX })
  const progress = createDeliveryProgress(pool)
  const board = createProcessBoard(redis, clock)
  const letters = createDeadLetters(redis)
  const metrics = createDeliveryMetrics(options.registry)
  const handlers = createHandlers(options)

  const delivery = createDelivery({
    ...{ name, queue, progress, board, handlers, metrics, log, clock, random },
    connections: options.connections,
    identity: { pid: process.pid, host },
    ...(options.times ? { times: options.times } : {}),
  })
  const picture = createWatchDelivery({
    ...{ queue, letters, board, outboxLag: outbox.lag, topicNames: createTopicNames(pool) },
    beatAgeMs: options.beatAgeMs,
    enabled: handlers.map((handler) => handler.name),
    self: delivery.note,
    now: clock.now,
    limits: {
      ...{ noteTtlMs: tuning.PROCESS_NOTE_TTL_MS, scheduleShown: SCHEDULE_SHOWN, answerMs: ANSWER_MS },
      beatLateMs: 3 * tuning.BEAT_MS,
    },
  })
  const trends = new DeliveryTrends()
  const deadLetters = createManageDeadLetters({
    ...{ letters, board, progress, journal: createActionJournal(pool), now: clock.now },
    limits: {
      ...{ replaysMax: tuning.REPLAYS_MAX, batchMax: tuning.DEAD_BATCH_MAX, noteTtlMs: tuning.PROCESS_NOTE_TTL_MS },
    },
  })
  return {
    delivery,
    queue,
    ops: {
      picture: async () => ({ ...(await picture()), rates: trends.rates }),
      trends: (minutes) => trends.read(minutes, clock.now()),
      deadLetters,
      runbooks: createRunbooks(),
    },
    async refreshFigures() {
      const now = await picture()
      metrics.show(now)
      trends.note(now)
    },
  }
}

function createHandlers({ pool, targets, planner }: DeliveryOptions): Handler[] {
  const handlers = [createMentionsHandler(createMentionNotices(pool))]
  const operators = targets.webhook && createPublicTarget(pool, targets.webhook)
  if (planner || operators) handlers.push(createWebhooksHandler(planner ?? null, operators))
  if (targets.edge) handlers.push(createEdgeRelayHandler(targets.edge))
  return handlers
}
