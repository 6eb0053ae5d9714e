// What an alert is here: its condition in parts (so that a test can take one away), how long it must hold, what people
// read, and cases in which it must fire and must not. Everything that Prometheus and Grafana get is made from this.

export type Severity = 'critical' | 'warning' | 'none'

export type Case = {
  why: string
  /** Series in the notation of promtool: `0+10x40` is 0, 10, 20 … 400, a sample every 30 s. */
  series: Record<string, string>
  at: string
  /** Distance of samples and evaluations, for windows of days; 30 s when left out. */
  every?: string
}

export type Alert = {
  name: string
  /** All of these must hold at once; the value that people read is that of the first. */
  when: string[]
  /** None of these may hold. A missing counter is then no excuse: the alert fires. */
  unless?: string[]
  /** Labels on which the parts are matched; none when left out. */
  matchedBy?: string
  for: string
  severity: Severity
  sli?: string
  summary: string
  description: string
  fires: Case[]
  silent: Case[]
}

export type AlertGroup = { name: string; alerts: Alert[] }

export function expressionOf({ when, unless = [], matchedBy = '' }: Pick<Alert, 'when' | 'unless' | 'matchedBy'>) {
  const [first, ...others] = when.map((part) => part.trim())
  return [
    when.length + unless.length === 1 ? first! : `(${first})`,
    ...others.map((part) => `and on (${matchedBy}) (${part})`),
    ...unless.map((part) => `unless on (${matchedBy}) (${part.trim()})`),
  ].join('\n')
}

/** The product's own address is an external label of Prometheus, so that there is one place to set it. */
export const runbookUrl = (name: string, product = '{{ $externalLabels.product_url }}'): string =>
  `${product}/ops/runbooks/${name}`

// ── Words of promtool's series ────────────────────────────────────────────────────────────────────────────────────

const SAMPLES = 90

/** The same value throughout. */
export const steady = (value: number): string => `${value}+0x${SAMPLES}`

/** Grows by so much in a minute, from a beginning. */
export const growing = (perMinute: number, from = 0): string =>
  perMinute < 0 ? `${from}-${-perMinute / 2}x${SAMPLES}` : `${from}+${perMinute / 2}x${SAMPLES}`

/** The same from two processes or shards. */
export const twice = (name: string, values: string): Record<string, string> => ({
  [`${name}{instance="a"}`]: values,
  [`${name}{instance="b"}`]: values,
})

/** A histogram into whose buckets so many fall in a minute, cumulative as Prometheus has them. */
export function histogram(name: string, perMinute: Record<string, number>, labels = ''): Record<string, string> {
  const series: Record<string, string> = {}
  const extra = labels === '' ? '' : `,${labels}`
  for (const [le, count] of Object.entries(perMinute)) series[`${name}_bucket{le="${le}"${extra}}`] = growing(count)
  series[`${name}_count${labels === '' ? '' : `{${labels}}`}`] = growing(perMinute['+Inf'] ?? 0)
  return series
}
