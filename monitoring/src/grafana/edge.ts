// The edge: hub, streams and subscriptions, jobs.
import type { Board } from './panel.ts'
import { quantile, quantiles, rate, warnAt } from './queries.ts'

const hub = (name: string, by = '') => rate(`signal_hub_${name}`, by)
export const edgeHub: Board = {
  uid: 'signal-feed-hub',
  title: 'Signal Feed: edge hub',
  about: 'Actors, messages and broadcasts, by shard.',
  rows: [
    {
      title: 'Actors and connections',
      panels: [
        {
          title: 'Actors',
          unit: 'none',
          queries: [
            { expr: 'sum(signal_hub_actors)', legend: 'actors' },
            { expr: 'sum(signal_hub_connections_active)', legend: 'connections' },
          ],
        },
        {
          title: 'How full the fullest shard is',
          unit: 'percentunit',
          queries: [{ expr: 'max(signal_hub_capacity_utilization)', legend: 'fullest' }],
          limits: [...warnAt(0.9), { from: 0.95, colour: 'red' }],
        },
        {
          title: 'Connections asked for',
          unit: 'reqps',
          queries: [
            { expr: hub('connection_attempts_total'), legend: 'attempts' },
            { expr: hub('reconnections_total'), legend: 'returns' },
          ],
          limits: warnAt(150),
        },
      ],
    },
    {
      title: 'Messages',
      panels: [
        {
          title: 'Messages',
          unit: 'reqps',
          queries: [
            { expr: hub('messages_received_total'), legend: 'received' },
            { expr: hub('messages_sent_total'), legend: 'sent' },
          ],
        },
        {
          title: 'Errors, by code',
          unit: 'reqps',
          queries: [{ expr: hub('errors_total', 'code'), legend: '{{code}}' }],
        },
        {
          title: 'Broadcast latency',
          unit: 's',
          queries: quantiles('signal_hub_broadcast_latency_seconds'),
          limits: [...warnAt(5), { from: 120, colour: 'red' }],
        },
        {
          title: 'At their target, by outcome',
          unit: 'reqps',
          queries: [{ expr: hub('deliveries_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Activity on topics',
          unit: 'reqps',
          queries: [{ expr: hub('topic_events_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Broadcasts, and recipients that were not reached',
          unit: 'reqps',
          queries: [
            { expr: hub('broadcasts_total'), legend: 'broadcasts' },
            { expr: hub('broadcast_failures_total'), legend: 'not reached' },
          ],
        },
        {
          title: 'Waiting in inboxes and broadcasts',
          unit: 'none',
          queries: [{ expr: 'sum(signal_hub_queue_depth)', legend: 'waiting' }],
        },
        {
          title: 'Registrations and moves',
          unit: 'reqps',
          queries: [
            { expr: hub('registrations_total', 'outcome'), legend: '{{outcome}}' },
            { expr: hub('moved_total'), legend: 'moved to another shard' },
          ],
        },
        {
          title: 'Databases of the shards',
          unit: 'bytes',
          queries: [{ expr: 'max by (shard) (signal_hub_storage_bytes)', legend: '{{shard}}' }],
        },
      ],
    },
  ],
}

export const edgeStreams: Board = {
  uid: 'signal-feed-edge',
  title: 'Signal Feed: edge streams and subscriptions',
  about: 'Requests to durable streams, fan-out to sessions.',
  rows: [
    {
      title: 'Streams',
      panels: [
        { title: 'Workers that answer', unit: 'none', queries: [{ expr: 'edge_worker_up', legend: '{{worker}}' }] },
        {
          title: 'Requests',
          unit: 'reqps',
          queries: [{ expr: rate('streams_requests_total', 'method, status'), legend: '{{method}} {{status}}' }],
        },
        {
          title: 'Duration, p95',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'streams_request_duration_seconds', 'le, method'), legend: '{{method}}' }],
        },
        {
          title: 'Live readers',
          unit: 'none',
          queries: [{ expr: 'sum(streams_live_readers)', legend: 'readers' }],
        },
        {
          title: 'Objects that start anew',
          help: 'An object that was evicted or had slept starts again with the next request.',
          unit: 'reqps',
          queries: [{ expr: rate('streams_object_starts_total'), legend: 'starts' }],
        },
      ],
    },
    {
      title: 'Subscriptions',
      panels: [
        {
          title: 'Events',
          unit: 'reqps',
          queries: [{ expr: rate('subscriptions_events_total', 'event'), legend: '{{event}}' }],
        },
        {
          title: 'Fan-out, by way',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (detail) (rate(subscriptions_events_total{event="fanout"}[$__rate_interval]))',
              legend: '{{detail}}',
            },
          ],
        },
        {
          title: 'Listeners reached, and not',
          unit: 'reqps',
          queries: [
            { expr: rate('subscriptions_items_total', 'event'), legend: '{{event}}' },
            { expr: rate('subscriptions_fanout_failures_total'), legend: 'not reached' },
          ],
        },
        {
          title: 'Duration, p95',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'subscriptions_duration_seconds', 'le, event'), legend: '{{event}}' }],
        },
      ],
    },
  ],
}

export const jobs: Board = {
  uid: 'signal-feed-jobs',
  title: 'Signal Feed: jobs',
  about: 'The concurrency manager: queues, slots, retries, dead letters, by partition.',
  rows: [
    {
      title: 'Queues',
      panels: [
        {
          title: 'Waiting, by partition',
          unit: 'none',
          queries: [{ expr: 'jobs_queue_depth', legend: '{{partition}}' }],
          limits: [...warnAt(1_000), { from: 5_000, colour: 'red' }],
        },
        { title: 'Active, by partition', unit: 'none', queries: [{ expr: 'jobs_active', legend: '{{partition}}' }] },
        { title: 'Oldest waiting', unit: 's', queries: [{ expr: 'max(jobs_oldest_age_seconds)', legend: 'oldest' }] },
        {
          title: 'Imbalance',
          unit: 'none',
          queries: [{ expr: 'max(jobs_partition_imbalance_ratio)', legend: 'busiest to average' }],
          limits: [...warnAt(2), { from: 5, colour: 'red' }],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'In and out',
          unit: 'reqps',
          queries: [
            ...['enqueued', 'done', 'failed', 'dead', 'retries'].map((name) => ({
              expr: rate(`jobs_${name}_total`),
              legend: name,
            })),
          ],
        },
        {
          title: 'Not taken',
          unit: 'reqps',
          queries: ['rejected', 'throttled', 'shed'].map((name) => ({
            expr: rate(`jobs_${name}_total`),
            legend: name,
          })),
        },
        {
          title: 'Processing time',
          unit: 's',
          queries: quantiles('jobs_processing_seconds'),
          limits: [...warnAt(5), { from: 30, colour: 'red' }],
        },
        {
          title: 'Slots, and dead letters that are kept',
          unit: 'none',
          queries: [
            { expr: 'sum(jobs_slots)', legend: 'slots' },
            { expr: 'sum(jobs_dead_letters)', legend: 'dead letters' },
          ],
        },
        {
          title: 'Rows of storage',
          unit: 'reqps',
          queries: [
            { expr: rate('jobs_storage_rows_read_total'), legend: 'read' },
            { expr: rate('jobs_storage_rows_written_total'), legend: 'written' },
          ],
        },
        {
          title: 'Unusual ends',
          unit: 'reqps',
          queries: ['duplicates', 'spilled', 'drained', 'leases_lost', 'dead_dropped'].map((name) => ({
            expr: rate(`jobs_${name}_total`),
            legend: name,
          })),
        },
      ],
    },
  ],
}
