// What readers feel: live delivery and read state.
import type { Board } from './panel.ts'
import { quantiles, rate, warnAt } from './queries.ts'

export const liveDelivery: Board = {
  uid: 'signal-feed-live',
  title: 'Signal Feed: live delivery',
  about: 'From commit to socket to screen, and who is connected.',
  rows: [
    {
      title: 'Delivery',
      panels: [
        {
          title: 'Commit to socket',
          unit: 's',
          queries: quantiles('sse_delivery_latency_seconds'),
          limits: [...warnAt(0.5), { from: 1, colour: 'red' }],
        },
        {
          title: 'Receipt to screen, as browsers report',
          unit: 's',
          queries: quantiles('client_render_latency_seconds'),
        },
        {
          title: 'Success',
          unit: 'percentunit',
          queries: [
            {
              expr: `${rate('sse_delivery_success_total')} / (${rate('sse_delivery_attempts_total')} > 0)`,
              legend: 'success',
            },
          ],
        },
        {
          title: 'Delivered',
          unit: 'reqps',
          queries: [{ expr: rate('sse_messages_delivered_total', 'way'), legend: '{{way}}' }],
        },
      ],
    },
    {
      title: 'Connections and reconnects',
      panels: [
        {
          title: 'Open, by process',
          unit: 'none',
          queries: [
            { expr: 'sse_connections_active', legend: '{{instance}} {{worker}}' },
            { expr: 'max(sse_connections_max)', legend: 'limit of one' },
          ],
        },
        {
          title: 'Attempts, by outcome',
          unit: 'reqps',
          queries: [{ expr: rate('sse_connections_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'What returning readers got',
          unit: 'reqps',
          queries: [{ expr: rate('sse_resumes_total', 'answer'), legend: '{{answer}}' }],
        },
        {
          title: 'Polls answered from memory',
          unit: 'reqps',
          queries: [{ expr: rate('polls_from_memory_total', 'status'), legend: '{{status}}' }],
        },
        {
          title: 'Reported by browsers in five minutes',
          unit: 'none',
          width: 24,
          queries: [
            { expr: 'sum(increase(feed_gaps_total[5m]))', legend: 'holes' },
            { expr: 'sum(increase(feed_repeats_total[5m]))', legend: 'repeats' },
            { expr: 'sum(increase(sse_circuit_breaker_open_total[5m]))', legend: 'gave up the stream' },
          ],
        },
      ],
    },
  ],
}

export const readState: Board = {
  uid: 'signal-feed-reads',
  title: 'Signal Feed: read state',
  about: 'Marks, counts, and how far Postgres is behind Redis.',
  rows: [
    {
      title: 'Read state',
      panels: [
        {
          title: 'Calls',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (procedure) (rate(trpc_calls_total{procedure=~"activities.mark.*|activities.unreadCounts"}[$__rate_interval]))`,
              legend: '{{procedure}}',
            },
          ],
        },
        {
          title: 'Their duration, p95',
          unit: 's',
          queries: [
            {
              expr: `histogram_quantile(0.95, sum by (le, procedure) (rate(trpc_call_duration_seconds_bucket{procedure=~"activities.mark.*|activities.unreadCounts"}[$__rate_interval])))`,
              legend: '{{procedure}}',
            },
          ],
        },
        {
          title: 'People whose state is not saved yet',
          unit: 'none',
          queries: [{ expr: 'sum(reads_unsaved)', legend: 'unsaved' }],
        },
        {
          title: 'Processes that go without Redis',
          unit: 'none',
          queries: [{ expr: 'sum(reads_without_redis)', legend: 'without Redis' }],
          limits: warnAt(1),
        },
        {
          title: 'Memory of read state, estimated',
          unit: 'bytes',
          queries: [{ expr: 'max(redis_people_memory_bytes{family="reads"})', legend: 'reads' }],
        },
        { title: 'Keys in Redis', unit: 'none', queries: [{ expr: 'max(redis_keys)', legend: 'keys' }] },
      ],
    },
  ],
}
