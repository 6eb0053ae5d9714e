// Between the commit and the handlers: outbox, log, consumer group, dead letters, memory of Redis.
import { type AlertGroup, growing, steady, twice } from '../alert.ts'
import { OLDEST_GOAL_SECONDS, PENDING_GOAL } from '../slo.ts'

const acks = (perMinute: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(perMinute).flatMap(([handler, count]) => [
      [`delivery_acks_total{handler="${handler}",worker="1"}`, growing(count / 2)],
      [`delivery_acks_total{handler="${handler}",worker="2"}`, growing(count / 2)],
      [`delivery_handler_enabled{handler="${handler}",worker="1"}`, steady(1)],
    ]),
  )
const backlog = (perMinute: number, from: number) => ({ 'delivery:backlog:entries': growing(perMinute, from) })
/** As two processes report it, which is the same twice. */
const redis = (used: number, max: number) => ({
  ...twice('redis_streams_memory_bytes', steady(used)),
  ...twice('redis_maxmemory_bytes', steady(max)),
})
const STARVED = 'PELConsumerStarvation'

export const logAlerts: AlertGroup = {
  name: 'log_and_delivery',
  alerts: [
    {
      name: 'PELCountHigh',
      when: [`max(sse_pel_total_pending) > ${PENDING_GOAL}`],
      for: '5m',
      severity: 'warning',
      sli: 'pel_health',
      summary: '{{ $value | humanize }} entries are pending',
      description: 'Handlers were given more than they finish: mentions, webhooks or the edge are behind.',
      fires: [{ why: 'thirteen thousand', series: { sse_pel_total_pending: steady(13_000) }, at: '7m' }],
      silent: [
        {
          why: 'every process reports the same seven thousand',
          series: {
            'sse_pel_total_pending{instance="a"}': steady(7_000),
            'sse_pel_total_pending{instance="b"}': steady(7_000),
          },
          at: '7m',
        },
      ],
    },
    {
      name: 'PELStaleMessages',
      when: [`max(sse_pel_oldest_age_seconds) > ${OLDEST_GOAL_SECONDS}`],
      for: '10m',
      severity: 'warning',
      sli: 'pel_health',
      summary: 'The oldest pending entry is {{ $value | humanizeDuration }} old',
      description: 'Something was given to a handler and is not finished, neither done nor dead.',
      fires: [{ why: 'over an hour', series: { sse_pel_oldest_age_seconds: growing(60, 4_000) }, at: '12m' }],
      silent: [{ why: 'forty minutes', series: twice('sse_pel_oldest_age_seconds', steady(2_500)), at: '12m' }],
    },
    {
      name: STARVED,
      when: ['delivery:backlog:entries > 5000', 'deriv(delivery:backlog:entries[10m]) * 60 > 100'],
      // The slowest of the handlers that are switched on: one that hangs must not hide behind one that works.
      unless: [
        'min(sum by (handler) (rate(delivery_acks_total[10m])) and on (handler) delivery_handler_enabled == 1) * 60 >= 10',
      ],
      for: '5m',
      severity: 'critical',
      sli: 'pel_health',
      summary: 'Consumers starve: {{ $value | humanize }} entries wait, and more every minute',
      description: 'Handlers finish fewer than ten a minute. People get no mentions, webhooks or edge copies.',
      fires: [
        {
          why: 'nothing is finished',
          series: { ...backlog(130, 6_500), ...acks({ mentions: 0, webhooks: 0 }) },
          at: '20m',
        },
        {
          why: 'one handler hangs, another works',
          series: { ...backlog(130, 6_500), ...acks({ mentions: 200, webhooks: 7 }) },
          at: '20m',
        },
        { why: 'nobody even counts', series: backlog(130, 6_500), at: '20m' },
      ],
      silent: [
        {
          why: 'slow, but alive',
          series: { ...backlog(130, 6_500), ...acks({ mentions: 200, webhooks: 13 }) },
          at: '20m',
        },
        { why: 'it does not grow as fast', series: { ...backlog(70, 6_500), ...acks({ mentions: 0 }) }, at: '20m' },
        { why: 'it shrinks', series: { ...backlog(-130, 12_000), ...acks({ mentions: 0 }) }, at: '20m' },
        { why: 'little waits yet', series: { ...backlog(130, 1_500), ...acks({ mentions: 0 }) }, at: '20m' },
        {
          why: 'a handler that is switched off finishes nothing, as it should',
          series: {
            ...backlog(130, 6_500),
            ...acks({ mentions: 200 }),
            'delivery_acks_total{handler="webhooks"}': steady(0),
            'delivery_handler_enabled{handler="webhooks"}': steady(0),
          },
          at: '20m',
        },
      ],
    },
    {
      name: 'PELRapidGrowth',
      when: ['max(deriv(sse_pel_total_pending[5m])) * 60 > 100'],
      for: '5m',
      severity: 'warning',
      sli: 'pel_health',
      summary: 'Pending entries grow by {{ $value | humanize }} a minute',
      description: 'Handlers are given more than they finish.',
      fires: [{ why: '130 a minute', series: { sse_pel_total_pending: growing(130) }, at: '12m' }],
      silent: [
        {
          why: '70 a minute, reported by two processes',
          series: {
            'sse_pel_total_pending{worker="1"}': growing(70),
            'sse_pel_total_pending{worker="2"}': growing(70),
          },
          at: '12m',
        },
        { why: 'it shrinks', series: { sse_pel_total_pending: growing(-130, 20_000) }, at: '12m' },
      ],
    },
    {
      name: 'StreamLagHigh',
      when: ['max(sse_stream_lag) > 1000'],
      for: '5m',
      severity: 'warning',
      sli: 'pel_health',
      summary: 'The group has not read {{ $value | humanize }} entries of the log',
      description: 'Readers have stopped or are too slow. Pending entries do not show it: nothing is given out.',
      fires: [
        {
          why: 'thirteen hundred',
          series: { sse_stream_lag: steady(1_300), sse_pel_total_pending: steady(0) },
          at: '7m',
        },
      ],
      silent: [{ why: 'seven hundred', series: twice('sse_stream_lag', steady(700)), at: '7m' }],
    },
    {
      name: 'DeliveryHandlerHeld',
      when: ['max by (handler) (delivery_breaker_open) == 1'],
      for: '5m',
      severity: 'warning',
      summary: 'The handler {{ $labels.handler }} rests: what it depends on is down',
      description: 'Its work is held and uses no tries; it goes on by itself when the dependency is back.',
      fires: [
        {
          why: 'held in one process',
          series: {
            'delivery_breaker_open{handler="webhooks",worker="1"}': steady(1),
            'delivery_breaker_open{handler="webhooks",worker="2"}': steady(0),
          },
          at: '7m',
        },
      ],
      silent: [{ why: 'all closed', series: { 'delivery_breaker_open{handler="webhooks"}': steady(0) }, at: '7m' }],
    },
    {
      name: 'DLQGrowing',
      when: ['max(delta(dlq_depth[15m])) >= 1'],
      for: '1m',
      severity: 'warning',
      summary: '{{ $value | humanize }} more dead letters in fifteen minutes',
      description: 'Work failed for good. Somebody has to look, and replay or discard it.',
      fires: [
        { why: 'one more', series: { dlq_depth: '3x10 4x60' }, at: '12m' },
        { why: 'the first, at once', series: { dlq_depth: '0 1x60' }, at: '12m' },
      ],
      silent: [
        { why: 'old ones that nobody has looked at', series: { dlq_depth: steady(40) }, at: '20m' },
        // Not a whole letter: what is left of one when a window ends in the middle of it.
        { why: 'less than one', series: twice('dlq_depth', '3x10 3.6x60'), at: '20m' },
        { why: 'they are being replayed', series: { dlq_depth: growing(-2, 80) }, at: '20m' },
      ],
    },
    {
      name: 'OutboxLagHigh',
      when: ['max(outbox_lag_seconds) > 30'],
      for: '2m',
      severity: 'critical',
      summary: 'A stored event has waited {{ $value | humanizeDuration }} for the log',
      description: 'What people publish is stored and shown on a reload, but reaches nobody live.',
      fires: [{ why: 'forty seconds', series: { outbox_lag_seconds: steady(40) }, at: '4m' }],
      silent: [{ why: 'twenty seconds', series: twice('outbox_lag_seconds', steady(20)), at: '4m' }],
    },
    {
      name: 'LogBeatStale',
      when: ['max(log_beat_age_seconds) > 45'],
      for: '1m',
      severity: 'critical',
      summary: 'The log has been silent for {{ $value | humanizeDuration }}',
      description:
        'Three beats are missing: Redis is away, or a process no longer follows the log. Readers see "delayed".',
      fires: [
        {
          why: 'one process is deaf',
          series: { 'log_beat_age_seconds{worker="1"}': steady(5), 'log_beat_age_seconds{worker="2"}': steady(60) },
          at: '3m',
        },
      ],
      silent: [{ why: 'two beats late', series: twice('log_beat_age_seconds', steady(31)), at: '3m' }],
    },
    {
      name: 'RedisStreamsMemoryHigh',
      // A limit of 0 is no limit.
      when: ['max(redis_streams_memory_bytes / (redis_maxmemory_bytes > 0)) > 0.8'],
      for: '5m',
      severity: 'warning',
      summary: 'Redis uses {{ $value | humanizePercentage }} of its memory',
      description: 'Full, it takes no more events; they would wait in Postgres.',
      fires: [
        {
          why: '90 %',
          series: redis(9e8, 1e9),
          at: '7m',
        },
      ],
      silent: [
        {
          why: '60 %',
          series: redis(6e8, 1e9),
          at: '7m',
        },
        {
          why: 'no limit',
          series: { redis_streams_memory_bytes: steady(9e9), redis_maxmemory_bytes: steady(0) },
          at: '7m',
        },
      ],
    },
    {
      name: 'RedisOutOfMemory',
      when: ['max(redis_streams_memory_bytes / (redis_maxmemory_bytes > 0)) > 0.98'],
      for: '1m',
      severity: 'critical',
      summary: 'Redis is full: {{ $value | humanizePercentage }}',
      description: 'The log takes no more events. Publishing goes on into Postgres, and nothing arrives live.',
      fires: [
        {
          why: '99 %',
          series: { redis_streams_memory_bytes: steady(9.9e8), redis_maxmemory_bytes: steady(1e9) },
          at: '3m',
        },
      ],
      silent: [
        {
          why: '90 %',
          series: redis(9e8, 1e9),
          at: '3m',
        },
      ],
    },
  ],
}
