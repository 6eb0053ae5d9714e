// HTTP, Postgres, Node.
import type { Board } from './panel.ts'
import { quantile, rate, warnAt } from './queries.ts'

export const ground: Board = {
  uid: 'signal-feed-ground',
  title: 'Signal Feed: HTTP, Postgres, Node',
  about: 'What everything stands on.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'By route',
          unit: 'reqps',
          queries: [{ expr: rate('http_requests_total', 'route'), legend: '{{route}}' }],
        },
        {
          title: 'By class of status',
          unit: 'reqps',
          queries: [{ expr: rate('http_requests_total', 'status'), legend: '{{status}}' }],
        },
        {
          title: 'Duration by route, p95',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'http_request_duration_seconds', 'le, route'), legend: '{{route}}' }],
        },
        {
          title: 'Being answered',
          unit: 'none',
          queries: [{ expr: 'sum(http_requests_in_flight)', legend: 'in flight' }],
        },
        {
          title: 'Calls that fail',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (procedure) (rate(trpc_calls_total{outcome="failed"}[$__rate_interval])) > 0',
              legend: '{{procedure}}',
            },
          ],
        },
        {
          title: 'Slowest calls, p95',
          unit: 's',
          queries: [
            {
              expr: `topk(10, ${quantile(0.95, 'trpc_call_duration_seconds', 'le, procedure')})`,
              legend: '{{procedure}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Postgres',
      panels: [
        {
          title: 'Connections of the pools',
          unit: 'none',
          queries: [
            { expr: 'sum by (state) (pg_pool_connections)', legend: '{{state}}' },
            { expr: 'sum(pg_pool_max)', legend: 'most' },
          ],
        },
        {
          title: 'Queries that wait',
          unit: 'none',
          queries: [{ expr: 'max(pg_pool_waiting)', legend: 'waiting' }],
          limits: warnAt(10),
        },
      ],
    },
    {
      title: 'Node',
      panels: [
        {
          title: 'Event loop lag, p99',
          unit: 's',
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds', legend: '{{instance}} {{worker}}' }],
          limits: warnAt(0.25),
        },
        {
          title: 'CPU',
          unit: 'percentunit',
          queries: [
            { expr: 'rate(process_cpu_seconds_total[$__rate_interval])', legend: '{{job}} {{instance}} {{worker}}' },
          ],
        },
        {
          title: 'Memory',
          unit: 'bytes',
          queries: [
            { expr: 'process_resident_memory_bytes', legend: '{{job}} {{instance}} {{worker}}' },
            { expr: 'nodejs_heap_size_used_bytes', legend: 'heap {{instance}} {{worker}}' },
          ],
        },
        {
          title: 'Open files',
          unit: 'none',
          queries: [
            { expr: 'process_open_fds', legend: '{{job}} {{instance}} {{worker}}' },
            { expr: 'min(process_max_fds)', legend: 'limit' },
          ],
        },
        {
          title: 'Garbage collection',
          unit: 's',
          queries: [
            { expr: 'sum by (kind) (rate(nodejs_gc_duration_seconds_sum[$__rate_interval]))', legend: '{{kind}}' },
          ],
        },
      ],
    },
  ],
}
