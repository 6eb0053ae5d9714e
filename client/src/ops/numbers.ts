// Figures as operators read them: as exact as fits, never more digits than mean something.

export const whole = (n: number): string => Math.round(n).toLocaleString('en')

/** `0.4`, `12`, `1,284`. */
export const rate = (n: number): string => (n > 0 && n < 9.95 ? n.toFixed(1) : whole(n))

/** A value and its unit apart, because they differ in size: `480 ms`, `3 s`, `12 min`, `2 h`. */
export function age(ms: number): [value: string, unit: string] {
  if (ms < 1_000) return [String(Math.round(ms)), 'ms']
  const seconds = ms / 1_000
  if (seconds < 9.95) return [seconds.toFixed(1).replace('.0', ''), 's']
  if (seconds < 120) return [String(Math.round(seconds)), 's']
  return seconds < 7_200 ? [String(Math.floor(seconds / 60)), 'min'] : [String(Math.floor(seconds / 3_600)), 'h']
}

export function bytes(n: number): string {
  if (n < 1_000) return `${n} B`
  const steps = ['KB', 'MB', 'GB', 'TB']
  let value = n
  let unit = 'B'
  for (const step of steps) {
    if (value < 999.5) break
    value /= 1_000
    unit = step
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** What a value grew by per minute, over those points of a series that are known; null when that says nothing. */
export function growthPerMinute(values: readonly (number | null)[], stepMs: number): number | null {
  const first = values.findIndex((value) => value !== null)
  const last = values.findLastIndex((value) => value !== null)
  if (first === -1 || last === first) return null
  return ((values[last]! - values[first]!) * 60_000) / ((last - first) * stepMs)
}

export const growth = (values: readonly (number | null)[]): number => {
  const known = values.filter((value) => value !== null)
  return known.length < 2 ? 0 : Math.round(known.at(-1)! - known[0]!)
}
