// Questions that many panels ask.
import type { Limit, Query } from './panel.ts'

export const rate = (metric: string, by = '', window = '$__rate_interval') =>
  by === '' ? `sum(rate(${metric}[${window}]))` : `sum by (${by}) (rate(${metric}[${window}]))`
export const quantile = (q: number, name: string, by = 'le') =>
  `histogram_quantile(${q}, sum by (${by}) (rate(${name}_bucket[$__rate_interval])))`
export const quantiles = (name: string): Query[] =>
  [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, name), legend: `p${q * 100}` }))
export const warnAt = (from: number, colour = 'orange'): Limit[] => [{ from, colour }]

/** Consumed, in the bands that the policy names. */
