// Counters and histograms of one isolate, in the text that Prometheus reads. Names and labels come from short closed
// lists, never from ids.

const BUCKETS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

type Labels = Record<string, string>
type Histogram = { buckets: number[]; sum: number; count: number }

const counters = new Map<string, Map<string, number>>()
const histograms = new Map<string, Map<string, Histogram>>()

export function count(name: string, labels: Labels = {}, by = 1): void {
  const series = seriesOf(counters, name)
  const key = labelText(labels)
  series.set(key, (series.get(key) ?? 0) + by)
}

export function observeMs(name: string, valueMs: number, labels: Labels = {}): void {
  const series = seriesOf(histograms, name)
  const key = labelText(labels)
  const histogram = series.get(key) ?? { buckets: BUCKETS_MS.map(() => 0), sum: 0, count: 0 }
  series.set(key, histogram)
  histogram.sum += valueMs
  histogram.count += 1
  for (const [at, bound] of BUCKETS_MS.entries()) if (valueMs <= bound) histogram.buckets[at]! += 1
}

export function metricsText(): string {
  const lines: string[] = []
  for (const [name, series] of counters) {
    lines.push(`# TYPE ${name} counter`)
    for (const [labels, value] of series) lines.push(`${name}${braces(labels)} ${value}`)
  }
  for (const [name, series] of histograms) {
    lines.push(`# TYPE ${name} histogram`)
    for (const [labels, { buckets, sum, count: total }] of series) {
      for (const [at, bound] of BUCKETS_MS.entries())
        lines.push(`${name}_bucket${braces(labels, `le="${bound}"`)} ${buckets[at]}`)
      lines.push(`${name}_bucket${braces(labels, 'le="+Inf"')} ${total}`)
      lines.push(`${name}_sum${braces(labels)} ${sum}`, `${name}_count${braces(labels)} ${total}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function seriesOf<Value>(all: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const known = all.get(name) ?? new Map<string, Value>()
  all.set(name, known)
  return known
}

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')

function braces(...parts: string[]): string {
  const inside = parts.filter((part) => part !== '').join(',')
  return inside === '' ? '' : `{${inside}}`
}
