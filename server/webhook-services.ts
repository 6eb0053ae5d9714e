// Builds and wires webhooks that people set up, and the log of what their tools ask.
import { createHmac, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Clock } from '#shared/clock.ts'
import { SECRET_PREFIX } from '#shared/webhook.ts'
import { createManageWebhooks, type ManageWebhooks } from './app/manage-webhooks.ts'
import type { RequestLog, TopicStore } from './app/ports.ts'
import { createSendWebhooks } from './app/send-webhooks.ts'
import type { WebhookStore } from './app/webhook-ports.ts'
import * as tuning from './config/tuning.ts'
import { createWebhookStore } from './db/webhook-store.ts'
import type { Planner } from './delivery/handlers/webhooks.ts'
import { createEdgeCaller, type EdgeTarget } from './edge-client/edge-caller.ts'
import { createEdgeJobs, createEgressCheck } from './edge-client/edge-jobs.ts'
import { edgeKey } from './edge-client/edge-keys.ts'
import { createGuardedPost } from './egress/guarded-post.ts'
import type { EgressDeps } from './http/egress-route.ts'
import { every } from './jobs/every.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createRequestLog } from './redis/request-log.ts'

export type WebhookOptions = {
  pool: pg.Pool
  redis: RedisConnection
  topics: Pick<TopicStore, 'view'>
  clock: Clock
  /** What the secrets of endpoints, and the key that we share with the edge, are derived from. */
  secret: string
  /** Where the job partitions are; null: no edge, and deliveries wait for one. */
  edge: EdgeTarget | null
  allowPrivate: boolean
  onPaused: (ownerId: string) => void
  warn: (message: string) => (error: unknown) => void
}

export type WebhookServices = {
  webhooks: ManageWebhooks
  requests: RequestLog
  planner: Planner
  egress: EgressDeps
  store: WebhookStore
  prune: (limit: number) => Promise<number>
  loops: () => { stop: () => Promise<void> }[]
}

export function createWebhookServices(options: WebhookOptions): WebhookServices {
  const { pool, redis, topics, clock, edge, allowPrivate, warn } = options
  const store = createWebhookStore(pool)
  const secretOf = (salt: string) =>
    SECRET_PREFIX + createHmac('sha256', options.secret).update(`webhook endpoint ${salt}`).digest('base64')
  const send = createSendWebhooks({
    ...{ webhooks: store, clock, secretOf, onPaused: options.onPaused },
    jobs: edge && createEdgeJobs(createEdgeCaller(edge)),
    post: createGuardedPost({
      ...{ allowPrivate, timeoutMs: tuning.WEBHOOK_TIMEOUT_MS, answerBytes: tuning.WEBHOOK_ANSWER_BYTES },
    }),
    staleMs: tuning.WEBHOOK_STALE_MS,
    giveUpMs: tuning.WEBHOOK_GIVE_UP_DAYS * 24 * 3_600_000,
    tries: tuning.WEBHOOK_TRIES,
  })
  let running = false
  let asked = false
  /** Never twice at once; who asks while it runs gets one more round after it. */
  const handOver = async () => {
    asked = true
    if (running) return
    running = true
    try {
      for (; asked; ) {
        asked = false
        await send.handOver()
      }
    } finally {
      running = false
    }
  }
  /** At once; what fails is found by the next sweep. */
  const wake = () => void handOver().catch(warn('webhooks are handed over later'))

  return {
    webhooks: createManageWebhooks({ webhooks: store, topics, clock, randomBytes, secretOf, allowPrivate, wake }),
    requests: createRequestLog(redis),
    planner: { listened: store.listened, forget: store.forget, plan: store.plan, wake },
    egress: { attempt: send.attempt, isFromEdge: createEgressCheck(edgeKey(options.secret), clock) },
    store,
    prune: (limit) => store.prune(new Date(clock.now() - tuning.WEBHOOK_LOG_DAYS * 24 * 3_600_000), limit),
    loops: () => (edge ? [every(tuning.WEBHOOK_SWEEP_MS, handOver, warn('webhooks are handed over later'))] : []),
  }
}
