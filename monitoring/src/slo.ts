// The three promises, over thirty days, and everything that follows from them by arithmetic: error ratios over all
// windows, burn rates, what is left of the budget. Long windows are averages of recorded five-minute rates: raw series over
// thirty days would be too much to ask for at every evaluation.

export type Slo = {
  name: string
  title: string
  /** The share that may go wrong. */
  budget: number
  /** Recorded every 30 s: rates of what was good and of all. */
  good: string
  total: string
  /** False: it is measured in time, and needs no traffic to mean something. */
  counted: boolean
}

export const DELIVERY_GOAL_SECONDS = 0.5
export const PENDING_GOAL = 10_000
export const OLDEST_GOAL_SECONDS = 3_600

export const SLOS: Slo[] = [
  {
    name: 'delivery_latency',
    title: '95 % of deliveries within 500 ms',
    budget: 0.05,
    good: `sum(rate(sse_delivery_latency_seconds_bucket{le="${DELIVERY_GOAL_SECONDS}"}[5m]))`,
    total: 'sum(rate(sse_delivery_latency_seconds_count[5m]))',
    counted: true,
  },
  {
    name: 'delivery_success',
    title: '99.9 % of deliveries succeed',
    budget: 0.001,
    good: 'sum(rate(sse_delivery_success_total[5m]))',
    total: 'sum(rate(sse_delivery_attempts_total[5m]))',
    counted: true,
  },
  {
    name: 'pel_health',
    title: `fewer than ${PENDING_GOAL} pending, the oldest below an hour, 99 % of the time`,
    budget: 0.01,
    // Every process says the same about the group.
    good: `(max(sse_pel_total_pending) < bool ${PENDING_GOAL}) * (max(sse_pel_oldest_age_seconds) < bool ${OLDEST_GOAL_SECONDS})`,
    total: 'max(sse_pel_total_pending) >= bool 0',
    counted: false,
  },
]

export const WINDOWS = {
  '5m': 300,
  '30m': 1_800,
  '1h': 3_600,
  '2h': 7_200,
  '6h': 21_600,
  '1d': 86_400,
  '3d': 259_200,
  '30d': 2_592_000,
} as const
export type Window = keyof typeof WINDOWS
export const WINDOW_NAMES = Object.keys(WINDOWS) as Window[]
/** With fewer in a window, one bad delivery would look like a disaster. */
export const EVENTS_MIN = 50

export type RecordingRule = { record: string; expr: string; labels?: Record<string, string> }
export type RecordingGroup = { name: string; interval: string; rules: RecordingRule[] }

const selector = (slo: Slo) => `{slo="${slo.name}"}`

const rates = (slo: Slo): RecordingRule[] => [
  { record: 'slo:good:rate5m', expr: slo.good, labels: { slo: slo.name } },
  { record: 'slo:total:rate5m', expr: slo.total, labels: { slo: slo.name } },
]

const averages = (slo: Slo, window: Window) => ({
  good: `avg_over_time(slo:good:rate5m${selector(slo)}[${window}])`,
  total: `avg_over_time(slo:total:rate5m${selector(slo)}[${window}])`,
})

/** Nothing to deliver is no error, and no data either. */
function errorRatio(slo: Slo, window: Window): RecordingRule {
  const { good, total } = averages(slo, window)
  return {
    record: `slo:error_ratio:${window}`,
    expr: `1 - ${good} / ${slo.counted ? `(${total} > 0)` : total}`,
    labels: { slo: slo.name },
  }
}

/** How many times faster than allowed the budget goes; 1 uses it up exactly in thirty days. */
function burnRate(slo: Slo, window: Window): RecordingRule {
  const burn = `slo:error_ratio:${window}${selector(slo)} / ${slo.budget}`
  const enough = `${averages(slo, window).total} * ${WINDOWS[window]} >= ${EVENTS_MIN}`
  return {
    record: `slo:burn_rate:${window}`,
    expr: slo.counted ? `${burn} and ${enough}` : burn,
    labels: { slo: slo.name },
  }
}

const budget = (slo: Slo): RecordingRule[] => [
  {
    record: 'slo:budget_remaining:ratio',
    // May go below zero: a promise that was broken by so much.
    expr: `1 - slo:error_ratio:30d${selector(slo)} / ${slo.budget}`,
    labels: { slo: slo.name },
  },
  {
    record: 'slo:budget_remaining:seconds',
    expr: `slo:budget_remaining:ratio${selector(slo)} * ${Math.round(slo.budget * WINDOWS['30d'])}`,
    labels: { slo: slo.name },
  },
]

/** What one window of one promise needs: the smallest set that can be tested by itself. */
export const rulesOf = (slo: Slo, window: Window): RecordingRule[] => [
  ...rates(slo),
  errorRatio(slo, window),
  burnRate(slo, window),
  ...(window === '30d' ? budget(slo) : []),
]

export const BACKLOG: RecordingRule = {
  record: 'delivery:backlog:entries',
  // What is given out and not finished, and what nobody has read: either alone can look healthy.
  expr: 'max(sse_pel_total_pending) + max(sse_stream_lag)',
}

export const recordingGroups = (): RecordingGroup[] => [
  {
    name: 'slo_rates',
    interval: '30s',
    rules: [...SLOS.flatMap(rates), BACKLOG],
  },
  {
    name: 'slo_windows',
    interval: '30s',
    rules: SLOS.flatMap((slo) =>
      WINDOW_NAMES.filter((window) => WINDOWS[window] < 86_400).flatMap((window) => [
        errorRatio(slo, window),
        burnRate(slo, window),
      ]),
    ),
  },
  {
    name: 'slo_days',
    interval: '5m',
    rules: SLOS.flatMap((slo) => [
      ...WINDOW_NAMES.filter((window) => WINDOWS[window] >= 86_400).flatMap((window) => [
        errorRatio(slo, window),
        burnRate(slo, window),
      ]),
      ...budget(slo),
    ]),
  },
]
