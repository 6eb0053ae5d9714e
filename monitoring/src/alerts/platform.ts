// What everything stands on: targets that answer, figures that are there, requests that do not fail, connections to Postgres.
import { type AlertGroup, growing, steady, twice } from '../alert.ts'

const requests = (perMinute: { ok: number; failed: number }) => ({
  'http_requests_total{route="trpc",status="2xx"}': growing(perMinute.ok / 2),
  'http_requests_total{route="client",status="2xx"}': growing(perMinute.ok / 2),
  'http_requests_total{route="trpc",status="5xx"}': growing(perMinute.failed),
})
/** Without these no other alert of the product can fire. */
const WATCHED = [
  'sse_connections_active',
  'sse_pel_total_pending',
  'sse_delivery_attempts_total',
  'log_beat_age_seconds',
]

export const platformAlerts: AlertGroup = {
  name: 'platform',
  alerts: [
    {
      name: 'TargetDown',
      when: ['up == 0'],
      for: '2m',
      severity: 'critical',
      summary: '{{ $labels.job }} on {{ $labels.instance }} does not answer',
      description: 'Prometheus cannot scrape it: it is down, out of reach, or wants another token.',
      fires: [
        {
          why: 'one of two',
          series: { 'up{job="server",instance="a"}': steady(0), 'up{job="server",instance="b"}': steady(1) },
          at: '4m',
        },
      ],
      silent: [
        {
          why: 'both up',
          series: { 'up{job="server",instance="a"}': steady(1), 'up{job="server",instance="b"}': steady(1) },
          at: '4m',
        },
      ],
    },
    {
      name: 'MetricsAbsent',
      when: [WATCHED.map((name) => `absent(${name})`).join(' or ')],
      for: '5m',
      severity: 'critical',
      summary: 'Figures that alerts need are missing',
      description: 'No process exports them: it is not scraped, or a release renamed them. Other alerts are blind.',
      fires: WATCHED.map((missing) => ({
        why: `${missing} is missing`,
        series: Object.fromEntries(WATCHED.filter((name) => name !== missing).map((name) => [name, steady(0)])),
        at: '7m',
      })),
      silent: [{ why: 'all there', series: Object.fromEntries(WATCHED.map((name) => [name, steady(0)])), at: '7m' }],
    },
    {
      name: 'HttpErrorRateHigh',
      when: [
        'sum(rate(http_requests_total{status="5xx"}[5m])) / sum(rate(http_requests_total[5m])) > 0.02',
        'sum(rate(http_requests_total[5m])) * 300 >= 50',
      ],
      for: '5m',
      severity: 'warning',
      summary: '{{ $value | humanizePercentage }} of requests fail',
      description: 'Answers of 500 and above, over all routes.',
      fires: [{ why: '2.6 %', series: requests({ ok: 12.66, failed: 0.34 }), at: '12m' }],
      silent: [
        { why: '1.4 %', series: requests({ ok: 12.82, failed: 0.18 }), at: '12m' },
        { why: 'hardly any requests', series: requests({ ok: 5, failed: 2 }), at: '12m' },
        { why: 'none', series: requests({ ok: 0, failed: 0 }), at: '12m' },
      ],
    },
    {
      name: 'PostgresPoolWaiting',
      when: ['max(pg_pool_waiting) > 10'],
      for: '5m',
      severity: 'warning',
      summary: '{{ $value | humanize }} queries wait for a connection to Postgres',
      description: 'The pool of a process is used up: queries are slow, or there are too many.',
      fires: [
        {
          why: 'in one process',
          series: { 'pg_pool_waiting{worker="1"}': steady(13), 'pg_pool_waiting{worker="2"}': steady(0) },
          at: '7m',
        },
      ],
      silent: [
        {
          why: 'a few',
          series: { 'pg_pool_waiting{worker="1"}': steady(7), 'pg_pool_waiting{worker="2"}': steady(7) },
          at: '7m',
        },
      ],
    },
    {
      name: 'EventLoopBlocked',
      when: ['max(nodejs_eventloop_lag_p99_seconds) > 0.25'],
      for: '5m',
      severity: 'warning',
      summary: 'A server process stalls for {{ $value | humanizeDuration }}',
      description: 'One pass in a hundred of its event loop takes longer than 250 ms; everybody on it waits.',
      fires: [
        {
          why: 'one of two',
          series: {
            'nodejs_eventloop_lag_p99_seconds{worker="1"}': steady(0.33),
            'nodejs_eventloop_lag_p99_seconds{worker="2"}': steady(0.01),
          },
          at: '7m',
        },
      ],
      silent: [{ why: 'busy', series: twice('nodejs_eventloop_lag_p99_seconds', steady(0.18)), at: '7m' }],
    },
    {
      name: 'Watchdog',
      when: ['vector(1)'],
      for: '0m',
      severity: 'none',
      summary: 'Alerting works',
      description: 'Always on. When it stops arriving, the way from Prometheus to people is broken.',
      fires: [{ why: 'always', series: {}, at: '1m' }],
      silent: [],
    },
  ],
}
