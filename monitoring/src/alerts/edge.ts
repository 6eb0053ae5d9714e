// The edge: hub, subscriptions, jobs.
import { type Alert, type AlertGroup, growing, histogram, steady, twice } from '../alert.ts'

const ratio = (part: string, whole: string[]) =>
  `sum(rate(${part}[5m])) / (${whole.map((one) => `sum(rate(${one}[5m]))`).join(' + ')})`
const enough = (metrics: string[], count: number) =>
  `(${metrics.map((one) => `sum(rate(${one}[5m]))`).join(' + ')}) * 300 >= ${count}`
const p99 = (name: string) => `histogram_quantile(0.99, sum by (le) (rate(${name}_bucket[5m])))`

const broadcasts = (buckets: Record<string, number>) => histogram('signal_hub_broadcast_latency_seconds', buckets)
const hubErrors = (received: number, errors: number) => ({
  'signal_hub_messages_received_total{shard="1"}': growing(received),
  'signal_hub_errors_total{shard="1",code="timeout"}': growing(errors / 2),
  'signal_hub_errors_total{shard="1",code="internal_error"}': growing(errors / 2),
})

export const hubAlerts: AlertGroup = {
  name: 'edge_hub',
  alerts: [
    {
      name: 'HubCapacityHigh',
      when: ['max(signal_hub_capacity_utilization) > 0.9'],
      for: '5m',
      severity: 'warning',
      summary: 'A shard of the hub is {{ $value | humanizePercentage }} full',
      description: 'At 95 % it refuses registrations.',
      fires: [
        {
          why: 'one of two shards',
          series: {
            'signal_hub_capacity_utilization{shard="1"}': steady(0.93),
            'signal_hub_capacity_utilization{shard="2"}': steady(0.1),
          },
          at: '7m',
        },
      ],
      silent: [{ why: '80 %', series: twice('signal_hub_capacity_utilization', steady(0.8)), at: '7m' }],
    },
    {
      name: 'HubBroadcastSlow',
      when: [`${p99('signal_hub_broadcast_latency_seconds')} > 5`],
      for: '5m',
      severity: 'warning',
      summary: 'Broadcasts are slow: p99 is {{ $value | humanizeDuration }}',
      description: 'One broadcast in a hundred takes longer than five seconds to reach everybody.',
      fires: [
        {
          why: '5 % take up to ten seconds',
          series: broadcasts({ '2.5': 0, '5': 95, '10': 100, '+Inf': 100 }),
          at: '12m',
        },
      ],
      silent: [
        { why: 'within five seconds', series: broadcasts({ '2.5': 50, '5': 100, '10': 100, '+Inf': 100 }), at: '12m' },
        { why: 'no broadcasts', series: broadcasts({ '5': 0, '10': 0, '+Inf': 0 }), at: '12m' },
      ],
    },
    {
      name: 'HubBroadcastSlowCritical',
      when: [`${p99('signal_hub_broadcast_latency_seconds')} > 120`],
      for: '2m',
      severity: 'critical',
      summary: 'Broadcasts hardly arrive: p99 is {{ $value | humanizeDuration }}',
      description: 'One broadcast in a hundred takes longer than two minutes; most are no use by then.',
      fires: [
        { why: '2 % take longer', series: broadcasts({ '60': 0, '120': 98.5, '300': 100, '+Inf': 100 }), at: '8m' },
      ],
      silent: [
        { why: 'within two minutes', series: broadcasts({ '60': 50, '120': 100, '300': 100, '+Inf': 100 }), at: '8m' },
      ],
    },
    {
      name: 'HubErrorRateHigh',
      when: [
        `${ratio('signal_hub_errors_total', ['signal_hub_messages_received_total'])} > 0.05`,
        enough(['signal_hub_messages_received_total'], 100),
      ],
      for: '5m',
      severity: 'warning',
      summary: 'The hub answers {{ $value | humanizePercentage }} of messages with an error',
      description: 'Over all shards and all codes.',
      fires: [{ why: '6.5 % of 130 in five minutes', series: hubErrors(26, 1.7), at: '12m' }],
      silent: [
        { why: '3.5 %', series: hubErrors(26, 0.9), at: '12m' },
        { why: 'hardly any messages', series: hubErrors(14, 5), at: '12m' },
        { why: 'none', series: hubErrors(0, 0), at: '12m' },
      ],
    },
    {
      name: 'HubConnectionRateHigh',
      when: ['sum(rate(signal_hub_connection_attempts_total[2m])) > 150'],
      for: '2m',
      severity: 'warning',
      summary: '{{ $value | humanize }} connections a second are asked of the hub',
      description: 'More than it admits: many come back at once, or a client does not wait.',
      fires: [
        {
          why: 'two shards with a hundred each',
          series: {
            'signal_hub_connection_attempts_total{shard="1"}': growing(6_000),
            'signal_hub_connection_attempts_total{shard="2"}': growing(6_000),
          },
          at: '6m',
        },
        { why: 'a herd', series: { signal_hub_connection_attempts_total: growing(60_000) }, at: '6m' },
      ],
      silent: [{ why: 'a hundred', series: { signal_hub_connection_attempts_total: growing(6_000) }, at: '6m' }],
    },
    {
      name: 'FanoutCircuitOpen',
      when: ['sum(increase(subscriptions_events_total{event="fanout",detail="circuit-open"}[5m])) >= 1'],
      for: '2m',
      severity: 'warning',
      summary: 'A topic copies nothing to its sessions: {{ $value | humanize }} fan-outs were put off',
      description: 'Sessions could not be written to. What was put off is owed, and caught up when they can.',
      fires: [
        {
          why: 'again and again',
          series: {
            'subscriptions_events_total{event="fanout",detail="circuit-open",instance="a"}': growing(0.13),
            'subscriptions_events_total{event="fanout",detail="circuit-open",instance="b"}': growing(0.13),
          },
          at: '9m',
        },
        {
          why: 'many at once',
          series: { 'subscriptions_events_total{event="fanout",detail="circuit-open"}': growing(60) },
          at: '9m',
        },
      ],
      silent: [
        {
          why: 'only other ways',
          series: {
            'subscriptions_events_total{event="fanout",detail="inline"}': growing(60),
            'subscriptions_events_total{event="fanout",detail="circuit-open"}': growing(0.12),
          },
          at: '9m',
        },
      ],
    },
  ],
}

/** What goes well is spread over partitions; what goes wrong happens in one. */
const jobs = (perMinute: Record<string, number>) => {
  const { done = 0, ...wrong } = perMinute
  const series: Record<string, string> = {}
  for (const partition of ['0', '1']) series[`jobs_done_total{partition="${partition}"}`] = growing(done / 2)
  for (const [name, count] of Object.entries(wrong)) {
    series[`jobs_${name}_total{partition="0"}`] = steady(0)
    series[`jobs_${name}_total{partition="1"}`] = growing(count)
  }
  return series
}
const depth = (value: number) => ({
  'jobs_queue_depth{partition="0"}': steady(value / 2),
  'jobs_queue_depth{partition="1"}': steady(value / 2),
})
const times = (buckets: Record<string, number>) => histogram('jobs_processing_seconds', buckets)
const DEAD = ratio('jobs_dead_total', ['jobs_done_total', 'jobs_dead_total'])
const RETRIED = ratio('jobs_retries_total', ['jobs_done_total', 'jobs_failed_total'])

/** Each limit twice: somebody should look, and somebody has to. */
type Pair = Pick<Alert, 'summary' | 'description'> & {
  name: [string, string]
  limits: [number, number]
  when: (limit: number) => string[]
  series: (over: number, limit: number, volume: number) => Record<string, string>
  /** Cases beyond "just below the limit", for both. */
  silent?: Alert['silent']
}
function pair({ name, limits, when, series, silent = [], summary, description }: Pair): Alert[] {
  const severities = ['warning', 'critical'] as const
  return severities.map((severity, at) => ({
    ...{ name: name[at]!, when: when(limits[at]!), severity, summary, description },
    for: severity === 'warning' ? '5m' : '2m',
    fires: [
      { why: 'above', series: series(1.3, limits[at]!, 13), at: '14m' },
      { why: 'above, of very many', series: series(1.3, limits[at]!, 13_000), at: '14m' },
    ],
    silent: [{ why: 'below', series: series(0.7, limits[at]!, 13), at: '14m' }, ...silent],
  }))
}

export const jobAlerts: AlertGroup = {
  name: 'edge_jobs',
  alerts: [
    ...pair({
      name: ['JobQueueDepthHigh', 'JobQueueDepthCritical'],
      limits: [1_000, 5_000],
      when: (limit) => [`sum(jobs_queue_depth) > ${limit}`],
      series: (over, limit) => depth(over * limit),
      summary: '{{ $value | humanize }} jobs wait',
      description: 'Over all partitions. At 80 % of their capacity new ones are slowed, at 95 % refused.',
    }),
    ...pair({
      name: ['JobLatencyHigh', 'JobLatencyCritical'],
      limits: [5, 30],
      when: (limit) => [`${p99('jobs_processing_seconds')} > ${limit}`],
      series: (over, limit) =>
        times({ [limit / 2]: 0, [limit]: over > 1 ? 90 : 100, [limit * 2]: 100, '300': 100, '+Inf': 100 }),
      silent: [{ why: 'no jobs', series: times({ '5': 0, '30': 0, '+Inf': 0 }), at: '14m' }],
      summary: 'Jobs are slow: p99 is {{ $value | humanizeDuration }}',
      description: 'One job in a hundred takes longer than this to be processed.',
    }),
    ...pair({
      name: ['JobDeadLetterRateHigh', 'JobDeadLetterRateCritical'],
      limits: [0.01, 0.05],
      when: (limit) => [`${DEAD} > ${limit}`, enough(['jobs_done_total', 'jobs_dead_total'], 50)],
      series: (over, limit, volume) => jobs({ done: volume * (1 - over * limit), dead: volume * over * limit }),
      silent: [
        { why: 'hardly any jobs', series: jobs({ done: 4, dead: 3 }), at: '14m' },
        { why: 'none', series: jobs({ done: 0, dead: 0 }), at: '14m' },
      ],
      summary: '{{ $value | humanizePercentage }} of jobs die',
      description: 'They used up their tries, or can never succeed.',
    }),
    ...pair({
      name: ['JobRetryRateHigh', 'JobRetryRateCritical'],
      limits: [0.1, 0.25],
      when: (limit) => [`${RETRIED} > ${limit}`, enough(['jobs_done_total', 'jobs_failed_total'], 50)],
      series: (over, limit, volume) => {
        const again = volume * over * limit
        return jobs({ done: volume - again, failed: again, retries: again })
      },
      silent: [
        { why: 'hardly any jobs', series: jobs({ done: 3, failed: 4, retries: 4 }), at: '14m' },
        { why: 'none', series: jobs({ done: 0, failed: 0, retries: 0 }), at: '14m' },
      ],
      summary: '{{ $value | humanizePercentage }} of tries are repeated',
      description: 'What jobs call fails often enough to be tried again.',
    }),
    ...pair({
      name: ['JobPartitionImbalance', 'JobPartitionImbalanceCritical'],
      limits: [2, 5],
      when: (limit) => [`max(jobs_partition_imbalance_ratio) > ${limit}`, 'sum(jobs_queue_depth) > 100'],
      series: (over, limit) => ({ ...twice('jobs_partition_imbalance_ratio', steady(over * limit)), ...depth(130) }),
      silent: [
        {
          why: 'hardly anything waits',
          series: { jobs_partition_imbalance_ratio: steady(10), ...depth(70) },
          at: '14m',
        },
      ],
      summary: 'One partition has {{ $value | humanize }} times the work of the average',
      description: 'A key or a target is hot: its jobs wait while other slots are free.',
    }),
  ],
}
