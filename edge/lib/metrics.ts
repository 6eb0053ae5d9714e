// Counters, gauges and histograms of one isolate, in the text that Prometheus reads. Names and labels come from short
// closed lists, never from ids. `define` gives a metric its help and lets every child begin at zero, so that a rate over
// "nothing yet" is zero and not missing.

/** Seconds. Finite bounds on both sides of every limit that an alert asks about (0.5, 5, 30 and 120 s). */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

export type Labels = Record<string, string>
export type Kind = 'counter' | 'gauge' | 'histogram'
type Histogram = { buckets: number[]; sum: number; count: number }
type Metric = { kind: Kind; help: string; values: Map<string, number>; histograms: Map<string, Histogram> }

const metrics = new Map<string, Metric>()

/** `children`: every combination of labels that can occur. */
export function define(kind: Kind, name: string, help: string, children: Labels[] = [{}]): void {
  const metric = metricOf(name, kind)
  metric.help = help
  for (const labels of children.map(labelText)) {
    if (kind === 'histogram') histogramOf(metric, labels)
    else if (!metric.values.has(labels)) metric.values.set(labels, 0)
  }
}

export function count(name: string, labels: Labels = {}, by = 1): void {
  const { values } = metricOf(name, 'counter')
  const key = labelText(labels)
  values.set(key, (values.get(key) ?? 0) + by)
}

export function setGauge(name: string, value: number, labels: Labels = {}): void {
  metricOf(name, 'gauge').values.set(labelText(labels), value)
}

/** Clocks here count milliseconds, Prometheus asks for seconds: `name` ends in `_seconds`. */
export function observeMs(name: string, valueMs: number, labels: Labels = {}): void {
  const histogram = histogramOf(metricOf(name, 'histogram'), labelText(labels))
  const value = valueMs / 1_000
  histogram.sum += value
  histogram.count += 1
  for (const [at, bound] of BUCKETS.entries()) if (value <= bound) histogram.buckets[at]! += 1
}

export function metricsText(): string {
  const lines: string[] = []
  for (const [name, { kind, help, values, histograms }] of metrics) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`)
    for (const [labels, value] of values) lines.push(`${name}${braces(labels)} ${value}`)
    for (const [labels, { buckets, sum, count: total }] of histograms) {
      for (const [at, bound] of BUCKETS.entries())
        lines.push(`${name}_bucket${braces(labels, `le="${bound}"`)} ${buckets[at]}`)
      lines.push(`${name}_bucket${braces(labels, 'le="+Inf"')} ${total}`)
      lines.push(`${name}_sum${braces(labels)} ${sum}`, `${name}_count${braces(labels)} ${total}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function metricOf(name: string, kind: Kind): Metric {
  const known = metrics.get(name)
  if (known) return known
  // Not defined: its name has to say it.
  const fresh: Metric = { kind, help: `${name.replaceAll('_', ' ')}.`, values: new Map(), histograms: new Map() }
  metrics.set(name, fresh)
  return fresh
}

function histogramOf({ histograms }: Metric, labels: string): Histogram {
  const known = histograms.get(labels)
  if (known) return known
  const fresh = { buckets: BUCKETS.map(() => 0), sum: 0, count: 0 }
  histograms.set(labels, fresh)
  return fresh
}

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')

function braces(...parts: string[]): string {
  const inside = parts.filter((part) => part !== '').join(',')
  return inside === '' ? '' : `{${inside}}`
}
