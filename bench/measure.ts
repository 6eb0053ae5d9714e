// Arithmetic that the benchmarks share.

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

export const spread = (milliseconds: readonly number[]) => ({
  p50: round(quantile(milliseconds, 0.5)),
  p95: round(quantile(milliseconds, 0.95)),
})
