// A series as lines of an SVG path. What is not known leaves a gap: a line across it would claim something.

export type Stretch = { line: string; area: string }

type Options = { width: number; height: number /** Room above and below the line. */; pad?: number; floor?: number }

export function stretches(
  values: readonly (number | null)[],
  { width, height, pad = 2, floor = 0 }: Options,
): Stretch[] {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return []
  const top = Math.max(...known)
  const bottom = Math.min(floor, ...known)
  const x = (i: number) => fixed((i / Math.max(1, values.length - 1)) * width)
  const y = (value: number) =>
    fixed(top === bottom ? height - pad : pad + ((top - value) / (top - bottom)) * (height - 2 * pad))
  const found: Stretch[] = []
  for (let start = 0; start < values.length; start++) {
    if (values[start] === null || values[start] === undefined) continue
    let end = start
    while (values[end + 1] !== null && values[end + 1] !== undefined) end++
    const points = values.slice(start, end + 1).map((value, i) => `${x(start + i)} ${y(value!)}`)
    // A single point is a short line, or nobody would see it.
    if (points.length === 1) points.push(`${fixed(Number(x(start)) + 1)} ${y(values[start]!)}`)
    const line = `M${points.join(' L')}`
    found.push({ line, area: `${line} V${height} H${x(start)} Z` })
    start = end
  }
  return found
}

const fixed = (n: number): string => String(Math.round(n * 10) / 10)
