import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { mergeMetrics } from './merge-metrics.ts'
import { WeightedHistogram } from './weighted-histogram.ts'

test('[MON-1] the figures of several processes keep apart and name their process', () => {
  const text = (value: number) =>
    `# HELP a_total Things.\n# TYPE a_total counter\na_total{kind="x y"} ${value}\n\n# HELP b B.\n# TYPE b gauge\nb ${value}\n`
  expect(
    mergeMetrics([
      { worker: 1, text: text(3) },
      { worker: 2, text: text(4) },
    ]),
  ).toBe(
    [
      ...['# HELP a_total Things.', '# TYPE a_total counter'],
      ...['a_total{worker="1",kind="x y"} 3', 'a_total{worker="2",kind="x y"} 4'],
      ...['# HELP b B.', '# TYPE b gauge', 'b{worker="1"} 3', 'b{worker="2"} 4', ''],
    ].join('\n'),
  )
})

test('[MON-1] one observation with a weight counts as that many, and is printed as a histogram', async () => {
  const registry = new Registry()
  const histogram = new WeightedHistogram({ name: 'w_seconds', help: 'W.', buckets: [0.1, 0.5], registers: [registry] })
  new Counter({ name: 'other_total', help: 'O.', registers: [registry] })
  histogram.add(0.1, 1_000)
  histogram.add(0.3, 2)
  histogram.add(9, 1)
  const text = await registry.metrics()
  expect(text).toContain('# TYPE w_seconds histogram')
  expect(text).toContain(
    'w_seconds_bucket{le="0.1"} 1000\nw_seconds_bucket{le="0.5"} 1002\nw_seconds_bucket{le="+Inf"} 1003',
  )
  expect(text).toContain('w_seconds_sum 109.6')
  expect(text).toContain('w_seconds_count 1003')
})
