// What the subscription worker is given by the platform.
import type { AuthEnv } from '../lib/project-jwt-auth.ts'
import type { CoreService } from '../streams/core-service.ts'
import {
  CIRCUIT_BREAKER_RECOVERY_MS,
  DEFAULT_SESSION_TTL_SECONDS,
  FANOUT_QUEUE_THRESHOLD,
  INTENT_RESUME_MS,
  JOIN_RETRY_MS,
  MAX_SUBSCRIBERS,
  QUEUE_GRACE_MS,
  REPAIR_RETRY_MS,
  SHARD_SUBSCRIBERS,
} from './constants.ts'
import type { FanoutQueueMessage } from './core/plan.ts'
import type { SessionRpc, SubscriptionRpc } from './rpc.ts'

export type SubscriptionsEnv = AuthEnv & {
  SUBSCRIPTION_DO: DurableObjectNamespace<SubscriptionRpc>
  SESSION_DO: DurableObjectNamespace<SessionRpc>
  CORE: Service<CoreService>
  /** Also the leases of sessions, under `lease:<project>/<session>`, for the sweeper. */
  REGISTRY: KVNamespace
  METRICS?: AnalyticsEngineDataset
  FANOUT_QUEUE?: Queue<FanoutQueueMessage>
  /** Opens /metrics; without it they are closed where nothing is open. */
  METRICS_TOKEN?: string
  EDGE_CORS_ORIGINS?: string
  SESSION_TTL_SECONDS?: string
  /** For tests: how long the breaker rests, and from how many listeners on the queue is used. */
  EDGE_BREAKER_MS?: string
  EDGE_QUEUE_THRESHOLD?: string
  /** For tests: how soon the alarm takes up what was left over. */
  EDGE_REPAIR_MS?: string
  /** For tests: listeners of one object, and of all objects of a topic. */
  EDGE_SHARD_SUBSCRIBERS?: string
  EDGE_MAX_SUBSCRIBERS?: string
}

export const sessionTtlSeconds = (env: SubscriptionsEnv): number =>
  Number(env.SESSION_TTL_SECONDS || DEFAULT_SESSION_TTL_SECONDS)

export const breakerRecoveryMs = (env: SubscriptionsEnv): number =>
  Number(env.EDGE_BREAKER_MS || CIRCUIT_BREAKER_RECOVERY_MS)

export const queueThreshold = (env: SubscriptionsEnv): number =>
  Number(env.EDGE_QUEUE_THRESHOLD || FANOUT_QUEUE_THRESHOLD)

export const shardSubscribers = (env: SubscriptionsEnv): number =>
  Number(env.EDGE_SHARD_SUBSCRIBERS || SHARD_SUBSCRIBERS)

/** Objects that a topic may have, the first one among them. */
export const shardLimit = (env: SubscriptionsEnv): number =>
  Math.ceil(Number(env.EDGE_MAX_SUBSCRIBERS || MAX_SUBSCRIBERS) / shardSubscribers(env))

/** When alarms look after a publish that began, what went to the queue, what failed, and half-done joins. */
export function repairTimes({ EDGE_REPAIR_MS }: SubscriptionsEnv) {
  const given = EDGE_REPAIR_MS ? Number(EDGE_REPAIR_MS) : null
  return {
    intentMs: given ?? INTENT_RESUME_MS,
    queueMs: given ?? QUEUE_GRACE_MS,
    retryMs: given ?? REPAIR_RETRY_MS,
    joinMs: given ?? JOIN_RETRY_MS,
  }
}
