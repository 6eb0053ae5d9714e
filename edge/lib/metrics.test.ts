import { expect, test } from 'vitest'
import { count, metricsText, observeMs } from './metrics.ts'

test('[SUB-8] counters and histograms in the words of Prometheus', () => {
  count('edge_test_total', { mode: 'inline' })
  count('edge_test_total', { mode: 'inline' }, 2)
  count('edge_test_total', { mode: 'queued' })
  count('edge_plain_total')
  observeMs('edge_test_ms', 7)
  observeMs('edge_test_ms', 20_000)
  const text = metricsText()
  expect(text).toContain(
    '# TYPE edge_test_total counter\nedge_test_total{mode="inline"} 3\nedge_test_total{mode="queued"} 1',
  )
  expect(text).toContain('edge_plain_total 1')
  expect(text).toContain('edge_test_ms_bucket{le="5"} 0\nedge_test_ms_bucket{le="10"} 1')
  expect(text).toContain('edge_test_ms_bucket{le="10000"} 1\nedge_test_ms_bucket{le="+Inf"} 2')
  expect(text).toContain('edge_test_ms_sum 20007\nedge_test_ms_count 2')
})
