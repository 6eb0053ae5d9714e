// What the recording rules of a promise must say, in cases that can be worked out by hand.
import { type RecordingRule, type Slo, WINDOWS, type Window } from './slo.ts'
import { toYaml, type Yaml } from './yaml.ts'

/** Null: nothing is recorded. */
type Expected = { errors: number | null; burn: number | null }
type RecordingCase = Expected & { why: string; series: Record<string, string>; at?: string }

const AT = '20m'
/** By minute; the tests' samples are a minute apart. */
const rate = (perMinute: number) => `0+${perMinute}x70`
const pel = (pending: string, oldest: string) => ({
  'sse_pel_total_pending{worker="1"}': pending,
  'sse_pel_total_pending{worker="2"}': pending,
  sse_pel_oldest_age_seconds: oldest,
})
const latency = (all: number, within: number) => ({
  'sse_delivery_latency_seconds_bucket{le="0.5"}': rate(within),
  'sse_delivery_latency_seconds_bucket{le="1"}': rate(all),
  sse_delivery_latency_seconds_count: rate(all),
})
const deliveries = (all: number, good: number) => ({
  sse_delivery_attempts_total: rate(all),
  sse_delivery_success_total: rate(good),
})

/** Half an hour of failures, then none: what each window sees of it 65 minutes after the beginning. */
const recovered = (window: Window): Expected => {
  const errors = WINDOWS[window] <= 1_800 ? 0 : window === '1h' ? 0.45 : 0.5
  return { errors, burn: errors / 0.001 }
}

const CASES: Record<string, (window: Window) => RecordingCase[]> = {
  delivery_latency: () => [
    { why: 'one in ten is late', series: latency(100, 90), errors: 0.1, burn: 2 },
    { why: 'nothing to deliver', series: latency(0, 0), errors: null, burn: null },
    { why: 'too few to burn anything', series: latency(0.001, 0.0009), errors: 0.1, burn: null },
  ],
  delivery_success: (window) => [
    { why: 'one in two hundred fails', series: deliveries(100, 99.5), errors: 0.005, burn: 5 },
    { why: 'nothing to deliver', series: deliveries(0, 0), errors: null, burn: null },
    { why: 'too few to burn anything', series: deliveries(0.001, 0.0005), errors: 0.5, burn: null },
    {
      why: 'it failed, and works again',
      series: { sse_delivery_attempts_total: rate(100), sse_delivery_success_total: '0x30 100+100x40' },
      at: '65m',
      ...recovered(window),
    },
  ],
  pel_health: () => [
    { why: 'healthy', series: pel('7000x70', '2500x70'), errors: 0, burn: 0 },
    { why: 'too many', series: pel('13000x70', '10x70'), errors: 1, burn: 100 },
    { why: 'too old', series: pel('10x70', '4000x70'), errors: 1, burn: 100 },
  ],
}

const ROUGH = 0.05

function questions(slo: Slo, window: Window, { errors, burn, at = AT }: RecordingCase): Yaml[] {
  const ask = (record: string, value: number | null, precision: number): Yaml => ({
    // Windows do not begin exactly where a case does.
    expr: `round(${record}{slo="${slo.name}"}, ${precision})`,
    eval_time: at,
    exp_samples:
      value === null ? [] : [{ labels: `{slo="${slo.name}"}`, value: Math.round(value / precision) * precision }],
  })
  const left = errors === null ? null : 1 - errors / slo.budget
  return [
    ask(`slo:error_ratio:${window}`, errors, errors !== null && errors < ROUGH ? 0.001 : ROUGH),
    ask(`slo:burn_rate:${window}`, burn, burn !== null && burn > 50 ? 50 : 0.5),
    // An exact share only where it was the same throughout.
    ...(window === '30d' && at === AT
      ? [
          ask('slo:budget_remaining:ratio', left, left !== null && Math.abs(left) > 50 ? 50 : 0.5),
          ask(
            'slo:budget_remaining:seconds',
            left === null ? null : left * slo.budget * WINDOWS['30d'],
            Math.abs(left ?? 0) > 50 ? 100_000 : 100,
          ),
        ]
      : []),
  ]
}

export const recordingTests = (slo: Slo, window: Window): Yaml[] =>
  CASES[slo.name]!(window).map((one) => ({
    name: `${slo.name} over ${window}: ${one.why}`,
    interval: '1m',
    input_series: Object.entries(one.series).map(([series, values]) => ({ series, values })),
    promql_expr_test: questions(slo, window, one),
  }))

export const BACKLOG_TEST: Yaml = {
  name: 'what waits is what was given out and what was not read, whoever reports it',
  interval: '1m',
  input_series: [
    { series: 'sse_pel_total_pending{worker="1"}', values: '3x10' },
    { series: 'sse_pel_total_pending{worker="2"}', values: '3x10' },
    { series: 'sse_stream_lag{worker="1"}', values: '4x10' },
  ],
  promql_expr_test: [
    {
      expr: 'delivery:backlog:entries',
      eval_time: '5m',
      exp_samples: [{ labels: 'delivery:backlog:entries', value: 7 }],
    },
  ],
}

export function recordingTestFiles(rules: RecordingRule[], tests: Yaml[], rulePath: string) {
  return {
    rule: toYaml({ groups: [{ name: 'recorded', rules: rules.map((rule) => ({ ...rule })) }] }, 'one window'),
    test: toYaml({ rule_files: [rulePath], evaluation_interval: '1m', tests }, 'one window'),
  }
}
