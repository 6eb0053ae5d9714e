// Every event of the subscription worker, counted for Prometheus and, where Analytics Engine is bound, written there.
import { count, define, observeMs } from '../lib/metrics.ts'

export type EventType =
  | 'publish'
  | 'publish_error'
  | 'fanout'
  | 'fanout_queued'
  | 'fanout_repair'
  | 'circuit_open'
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

export type DataPoint = { blobs: string[]; doubles: number[]; indexes: string[] }
/** Analytics Engine, as far as we use it. */
export type EventSink = { METRICS?: { writeDataPoint(point: DataPoint): void } }

const CATEGORIES: Record<EventType, string> = {
  ...{ publish: 'publish', publish_error: 'publish_error', http: 'http', cleanup_batch: 'cleanup' },
  ...{ fanout: 'fanout', fanout_queued: 'fanout', fanout_repair: 'fanout', circuit_open: 'fanout' },
  ...{ subscribe: 'subscription', unsubscribe: 'subscription' },
  ...{ session_create: 'session', session_touch: 'session', session_delete: 'session', session_expire: 'session' },
}

// Details of publishing and fan-out are what alerts ask about; the others have none, or an answer's status.
const DETAILS: Partial<Record<EventType, string[]>> = {
  publish: ['inline', 'queued', 'deferred', 'circuit-open'],
  fanout: ['inline', 'queued', 'deferred', 'circuit-open'],
}
const TIMED: EventType[] = ['publish', 'fanout_repair', 'cleanup_batch', 'http']
const children = (Object.keys(CATEGORIES) as EventType[])
  .filter((event) => event !== 'http' && event !== 'publish_error')
  .flatMap((event) => (DETAILS[event] ?? ['']).map((detail) => ({ event, detail })))
define('counter', 'subscriptions_events_total', 'What happened, with a detail where it has one.', children)
define('counter', 'subscriptions_items_total', 'Listeners or sessions that events were about.', [
  ...DETAILS.fanout!.map((detail) => ({ event: 'fanout', detail })),
])
define('counter', 'subscriptions_fanout_failures_total', 'Sessions that a fan-out did not reach; repair owes them.')
const timed = TIMED.map((event) => ({ event }))
define('histogram', 'subscriptions_duration_seconds', 'How long events took.', timed)

export function recordEvent(sink: EventSink, event: EdgeEvent): void {
  const { type, detail = '', count: times = 1, latencyMs = 0 } = event
  const labels = { event: type, detail }
  count('subscriptions_events_total', labels)
  if (event.count !== undefined) count('subscriptions_items_total', labels, times)
  const failed = event.values?.[0]
  if (failed !== undefined && CATEGORIES[type] === 'fanout') count('subscriptions_fanout_failures_total', {}, failed)
  if (event.latencyMs !== undefined) observeMs('subscriptions_duration_seconds', latencyMs, { event: type })
  sink.METRICS?.writeDataPoint({
    blobs: [event.streamId ?? '', event.sessionId ?? '', type, detail],
    doubles: [times, latencyMs, ...(event.values ?? [])],
    indexes: [CATEGORIES[type]],
  })
}
