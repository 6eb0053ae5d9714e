// Every event of the subscription worker, counted for Prometheus and, where Analytics Engine is bound, written there.
import { count, observeMs } from '../lib/metrics.ts'
import type { SubscriptionsEnv } from './env.ts'

export type EventType =
  | 'publish'
  | 'publish_error'
  | 'fanout'
  | 'fanout_queued'
  | 'fanout_repair'
  | 'subscribe'
  | 'unsubscribe'
  | 'session_create'
  | 'session_touch'
  | 'session_delete'
  | 'session_expire'
  | 'cleanup_batch'
  | 'http'

export type EdgeEvent = {
  type: EventType
  streamId?: string
  sessionId?: string
  /** A word from a short list: a mode, a status, a kind of failure. */
  detail?: string
  count?: number
  latencyMs?: number
  /** Of the event's own: failures of a fan-out, removals of a clean-up. */
  values?: number[]
}

const CATEGORIES: Record<EventType, string> = {
  ...{ publish: 'publish', publish_error: 'publish_error', http: 'http', cleanup_batch: 'cleanup' },
  ...{ fanout: 'fanout', fanout_queued: 'fanout', fanout_repair: 'fanout' },
  ...{ subscribe: 'subscription', unsubscribe: 'subscription' },
  ...{ session_create: 'session', session_touch: 'session', session_delete: 'session', session_expire: 'session' },
}

export function recordEvent(env: Pick<SubscriptionsEnv, 'METRICS'>, event: EdgeEvent): void {
  const { type, detail = '', count: times = 1, latencyMs = 0 } = event
  const labels = { event: type, detail }
  count('edge_subscription_events_total', labels)
  if (event.count !== undefined) count('edge_subscription_items_total', labels, times)
  if (event.latencyMs !== undefined) observeMs('edge_subscription_duration_ms', latencyMs, { event: type })
  env.METRICS?.writeDataPoint({
    blobs: [event.streamId ?? '', event.sessionId ?? '', type, detail],
    doubles: [times, latencyMs, ...(event.values ?? [])],
    indexes: [CATEGORIES[type]],
  })
}
