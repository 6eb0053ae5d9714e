// What readers feel: how late and how surely events reach their sockets, and whether there is room for them.
import { type AlertGroup, growing, histogram, steady, twice } from '../alert.ts'
import { DELIVERY_GOAL_SECONDS, EVENTS_MIN } from '../slo.ts'

const quantile = (q: number) => `histogram_quantile(${q}, sum by (le) (rate(sse_delivery_latency_seconds_bucket[5m])))`
const enough = (metric: string) => `sum(rate(${metric}[5m])) * 300 >= ${EVENTS_MIN}`
const latency = (buckets: Record<string, number>) => histogram('sse_delivery_latency_seconds', buckets)
/** Deliveries in a minute, of which some fail. */
const deliveries = (attempts: number, failed: number) => ({
  sse_delivery_attempts_total: growing(attempts),
  sse_delivery_success_total: growing(attempts - failed),
})
/** One process delivers all, another fails some. */
const unequal = (all: number, some: number, failed: number) => ({
  'sse_delivery_attempts_total{worker="1"}': growing(all),
  'sse_delivery_success_total{worker="1"}': growing(all),
  'sse_delivery_attempts_total{worker="2"}': growing(some),
  'sse_delivery_success_total{worker="2"}': growing(some - failed),
})
const SUCCESS = 'sum(rate(sse_delivery_success_total[5m])) / sum(rate(sse_delivery_attempts_total[5m]))'

export const deliveryAlerts: AlertGroup = {
  name: 'sse_delivery',
  alerts: [
    {
      name: 'SSEDeliveryLatencyHigh',
      when: [`${quantile(0.95)} > ${DELIVERY_GOAL_SECONDS}`, enough('sse_delivery_latency_seconds_count')],
      for: '5m',
      severity: 'warning',
      sli: 'delivery_latency',
      summary: 'Deliveries are late: p95 is {{ $value | humanizeDuration }}',
      description: 'One delivery in twenty takes longer than 500 ms from its commit to the socket.',
      fires: [
        { why: '6 % take longer than 500 ms', series: latency({ '0.5': 12.2, '0.75': 13, '+Inf': 13 }), at: '12m' },
        {
          why: 'the slow one among three processes',
          series: {
            ...histogram('sse_delivery_latency_seconds', { '0.5': 3, '0.75': 10, '+Inf': 10 }, 'worker="1"'),
            ...histogram('sse_delivery_latency_seconds', { '0.5': 10, '0.75': 10, '+Inf': 10 }, 'worker="2"'),
          },
          at: '12m',
        },
      ],
      silent: [
        { why: '96 % within 500 ms', series: latency({ '0.4': 12, '0.5': 13.5, '0.75': 14, '+Inf': 14 }), at: '12m' },
        { why: 'a handful of deliveries', series: latency({ '0.5': 5, '0.75': 7, '+Inf': 7 }), at: '12m' },
        { why: 'nothing to deliver', series: latency({ '0.5': 0, '0.75': 0, '+Inf': 0 }), at: '12m' },
      ],
    },
    {
      name: 'SSEDeliveryLatencyCritical',
      when: [`${quantile(0.99)} > 1`, enough('sse_delivery_latency_seconds_count')],
      for: '2m',
      severity: 'critical',
      sli: 'delivery_latency',
      summary: 'Deliveries are very late: p99 is {{ $value | humanizeDuration }}',
      description: 'One delivery in a hundred takes longer than a second from its commit to the socket.',
      fires: [
        { why: '2 % take longer', series: latency({ '1': 12.7, '1.5': 13, '+Inf': 13 }), at: '8m' },
        { why: 'of very many', series: latency({ '1': 12_700, '1.5': 13_000, '+Inf': 13_000 }), at: '8m' },
      ],
      silent: [
        { why: '99.5 % within a second', series: latency({ '0.75': 12, '1': 13.93, '1.5': 14, '+Inf': 14 }), at: '8m' },
        { why: 'a handful of deliveries', series: latency({ '1': 5, '1.5': 7, '+Inf': 7 }), at: '8m' },
      ],
    },
    {
      name: 'SSEDeliverySuccessRateLow',
      when: [`${SUCCESS} < 0.999`, enough('sse_delivery_attempts_total')],
      for: '5m',
      severity: 'warning',
      sli: 'delivery_success',
      summary: 'Deliveries fail: {{ $value | humanizePercentage }} succeed',
      description: 'More than one delivery in a thousand does not reach its socket: readers are cut for not reading.',
      fires: [
        { why: '0.15 % fail', series: deliveries(13, 0.0195), at: '12m' },
        {
          why: 'one of two processes fails',
          series: unequal(1_000, 100, 10),
          at: '12m',
        },
      ],
      silent: [
        { why: '0.06 % fail', series: deliveries(100, 0.06), at: '12m' },
        { why: 'few deliveries', series: deliveries(7, 1), at: '12m' },
        { why: 'nothing to deliver', series: deliveries(0, 0), at: '12m' },
      ],
    },
    {
      name: 'SSEDeliverySuccessRateCritical',
      when: [`${SUCCESS} < 0.99`, enough('sse_delivery_attempts_total')],
      for: '2m',
      severity: 'critical',
      sli: 'delivery_success',
      summary: 'Many deliveries fail: {{ $value | humanizePercentage }} succeed',
      description: 'More than one delivery in a hundred does not reach its socket.',
      fires: [
        { why: '1.5 % fail', series: deliveries(13, 0.195), at: '8m' },
        { why: 'of very many', series: deliveries(13_000, 195), at: '8m' },
        { why: 'one of two processes fails', series: unequal(1_000, 100, 20), at: '8m' },
      ],
      silent: [
        { why: '0.6 % fail', series: deliveries(100, 0.6), at: '8m' },
        { why: 'one process fails, but has little to deliver', series: unequal(1_000, 100, 5), at: '8m' },
        { why: 'few deliveries', series: deliveries(7, 1), at: '8m' },
      ],
    },
    {
      name: 'SSEConnectionCountHigh',
      when: [`sum(sse_connections_active) > 50000 or max(sse_connections_active / (sse_connections_max > 0)) > 0.8`],
      for: '5m',
      severity: 'warning',
      summary: 'Many live connections: {{ $value | humanize }}',
      description:
        'The fleet holds more than 50,000, or one process more than 80 % (a value below one) of what it takes.',
      fires: [
        {
          why: 'the fleet',
          series: {
            'sse_connections_active{instance="a"}': steady(30_000),
            'sse_connections_active{instance="b"}': steady(30_000),
            'sse_connections_max{instance="a"}': steady(100_000),
            'sse_connections_max{instance="b"}': steady(100_000),
          },
          at: '7m',
        },
        {
          why: 'one process is nearly full',
          series: { sse_connections_active: steady(13_000), sse_connections_max: steady(15_000) },
          at: '7m',
        },
      ],
      silent: [
        {
          why: 'room everywhere',
          series: {
            'sse_connections_active{instance="a"}': steady(10_000),
            'sse_connections_active{instance="b"}': steady(25_000),
            'sse_connections_max{instance="a"}': steady(15_000),
            'sse_connections_max{instance="b"}': steady(60_000),
          },
          at: '7m',
        },
      ],
    },
    {
      name: 'CircuitBreakerOpen',
      when: ['sum(increase(sse_circuit_breaker_open_total[5m])) > 10'],
      for: '2m',
      severity: 'warning',
      summary: 'Browsers gave up the stream {{ $value | humanize }} times in five minutes',
      description: 'They poll instead, and try the stream again later.',
      fires: [
        {
          why: 'three a minute, counted by two processes',
          series: {
            ...twice('sse_circuit_breaker_open_total', growing(1.5)),
          },
          at: '9m',
        },
        { why: 'all at once', series: { sse_circuit_breaker_open_total: growing(100) }, at: '9m' },
      ],
      silent: [{ why: 'now and then', series: { sse_circuit_breaker_open_total: growing(1.4) }, at: '9m' }],
    },
    {
      name: 'GapsReported',
      when: ['sum(increase(feed_gaps_total[10m])) > 10'],
      for: '1m',
      severity: 'warning',
      summary: 'Browsers saw {{ $value | humanize }} holes in ten minutes',
      description: 'They fetched what was missing, so nothing is lost on screen; but live delivery left something out.',
      fires: [
        { why: 'fourteen in ten minutes', series: twice('feed_gaps_total', growing(0.7)), at: '12m' },
        { why: 'very many at once', series: { feed_gaps_total: growing(1_000) }, at: '12m' },
      ],
      silent: [{ why: 'seven in ten minutes', series: { feed_gaps_total: growing(0.7) }, at: '12m' }],
    },
    {
      name: 'CanaryFailing',
      when: ['max(time() - canary_last_success_timestamp_seconds) > 120'],
      for: '1m',
      severity: 'critical',
      summary: 'The canary has not come through for {{ $value | humanizeDuration }}',
      description:
        'A process publishes and receives on the real path every twenty seconds. What it cannot do, people cannot do either.',
      fires: [
        {
          why: 'one of two processes is stuck',
          series: {
            // The clock of a test begins at zero.
            'canary_last_success_timestamp_seconds{worker="1"}': growing(60),
            'canary_last_success_timestamp_seconds{worker="2"}': steady(0),
          },
          at: '4m',
        },
        { why: 'for long', series: { canary_last_success_timestamp_seconds: steady(-1_000) }, at: '4m' },
      ],
      silent: [
        {
          why: 'two processes, each a little behind',
          series: twice('canary_last_success_timestamp_seconds', growing(60, -80)),
          at: '30m',
        },
        { why: 'all come through', series: { canary_last_success_timestamp_seconds: growing(60) }, at: '30m' },
        {
          why: 'a minute and a half is a hiccup',
          series: { canary_last_success_timestamp_seconds: '0x3 0+30x60' },
          at: '30m',
        },
      ],
    },
  ],
}
