// Between the commit and the handlers.
import type { Board } from './panel.ts'
import { rate, warnAt } from './queries.ts'

export const redisStreams: Board = {
  uid: 'signal-feed-redis',
  title: 'Signal Feed: log and delivery',
  about: 'Outbox, log, consumer group, retries, dead letters, memory of Redis.',
  rows: [
    {
      title: 'Outbox and log',
      panels: [
        {
          title: 'Oldest event that is not in the log',
          unit: 's',
          queries: [{ expr: 'max(outbox_lag_seconds)', legend: 'outbox' }],
          limits: warnAt(30, 'red'),
        },
        {
          title: 'Age of the beat, by process',
          unit: 's',
          queries: [{ expr: 'log_beat_age_seconds', legend: '{{instance}} {{worker}}' }],
          limits: warnAt(45, 'red'),
        },
      ],
    },
    {
      title: 'Consumer group',
      panels: [
        {
          title: 'Pending and not read',
          unit: 'none',
          queries: [
            { expr: 'max(sse_pel_total_pending)', legend: 'pending' },
            { expr: 'max(sse_stream_lag)', legend: 'not read' },
            { expr: 'delivery:backlog:entries', legend: 'both' },
          ],
          limits: [...warnAt(5_000), { from: 10_000, colour: 'red' }],
        },
        {
          title: 'Oldest pending',
          unit: 's',
          queries: [{ expr: 'max(sse_pel_oldest_age_seconds)', legend: 'oldest' }],
          limits: warnAt(3_600, 'red'),
        },
        {
          title: 'Growth a minute',
          unit: 'none',
          queries: [{ expr: 'deriv(delivery:backlog:entries[10m]) * 60', legend: 'backlog' }],
          limits: warnAt(100),
        },
        {
          title: 'Pending by consumer',
          unit: 'none',
          queries: [{ expr: 'max by (consumer) (sse_pel_consumer_pending)', legend: '{{consumer}}' }],
        },
        {
          title: 'Finished, by handler',
          unit: 'reqps',
          queries: [{ expr: rate('delivery_acks_total', 'handler'), legend: '{{handler}}' }],
        },
        {
          title: 'Failed tries',
          unit: 'reqps',
          queries: [{ expr: rate('delivery_failures_total', 'handler, class'), legend: '{{handler}} {{class}}' }],
        },
        {
          title: 'Waiting for their next try',
          unit: 'none',
          queries: [{ expr: 'max by (handler) (delivery_schedule_size)', legend: '{{handler}}' }],
        },
        {
          title: 'Handlers that rest, and that are on',
          unit: 'none',
          queries: [
            { expr: 'max by (handler) (delivery_breaker_open)', legend: '{{handler}} rests' },
            { expr: 'max by (handler) (delivery_handler_enabled)', legend: '{{handler}} is on' },
          ],
        },
      ],
    },
    {
      title: 'Dead letters and losses',
      panels: [
        {
          title: 'Dead letters',
          unit: 'none',
          queries: [{ expr: 'max(dlq_depth)', legend: 'dead' }],
          limits: warnAt(1),
        },
        {
          title: 'Lost from the log and rebuilt, died because it was full',
          unit: 'none',
          queries: [
            { expr: 'sum(increase(delivery_lost_entries_total[5m]))', legend: 'rebuilt' },
            { expr: 'sum(increase(delivery_trimmed_total[5m]))', legend: 'trimmed' },
          ],
        },
      ],
    },
    {
      title: 'Memory',
      panels: [
        {
          title: 'Share used',
          unit: 'percentunit',
          queries: [{ expr: 'max(redis_streams_memory_bytes / (redis_maxmemory_bytes > 0))', legend: 'used' }],
          limits: [...warnAt(0.8), { from: 0.98, colour: 'red' }],
        },
        {
          title: 'By kind',
          unit: 'bytes',
          queries: [
            { expr: 'max by (family) (redis_family_memory_bytes)', legend: '{{family}}' },
            { expr: 'max by (family) (redis_people_memory_bytes)', legend: '{{family}}, estimated' },
          ],
        },
        {
          title: 'Redis, as its exporter sees it',
          unit: 'none',
          queries: [
            { expr: 'redis_connected_clients', legend: 'clients' },
            { expr: 'redis_blocked_clients', legend: 'waiting in a read' },
            { expr: 'rate(redis_commands_processed_total[$__rate_interval])', legend: 'commands a second' },
          ],
        },
        {
          title: 'Used, and in the eyes of the system',
          unit: 'bytes',
          queries: [
            { expr: 'redis_memory_used_bytes', legend: 'used' },
            { expr: 'redis_memory_used_rss_bytes', legend: 'resident' },
          ],
        },
      ],
    },
  ],
}
