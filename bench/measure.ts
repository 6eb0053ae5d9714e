// Arithmetic that the benchmarks share.

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

export const spread = (milliseconds: readonly number[]) => ({
  p50: round(quantile(milliseconds, 0.5)),
  p95: round(quantile(milliseconds, 0.95)),
})

/** The middle one of all rounds, with the single figures: on a shared machine their spread says how far to trust it. */
export const perSecond = (rates: readonly number[]) => ({
  perSecond: round(median(rates), 0),
  runs: rates.map((rate) => round(rate, 0)),
})

/** Two rates of the same round meet the same load from outside, so ratios are taken round by round. */
export const timesOf = (rates: readonly number[], reference: readonly number[]): number =>
  round(median(rates.map((rate, index) => rate / reference[index]!)))
