import { expect, test } from 'vitest'
import { count, define, metricsText, observeMs, setGauge } from './metrics.ts'
import { metricsResponse } from './metrics-route.ts'

test('[SUB-8] counters, gauges and histograms in the words of Prometheus, times in seconds', () => {
  count('edge_test_total', { mode: 'inline' })
  count('edge_test_total', { mode: 'inline' }, 2)
  count('edge_test_total', { mode: 'queued' })
  count('edge_plain_total')
  setGauge('edge_test_open', 4)
  setGauge('edge_test_open', 3)
  observeMs('edge_test_seconds', 7)
  observeMs('edge_test_seconds', 400_000)
  const text = metricsText()
  expect(text).toContain(
    '# TYPE edge_test_total counter\nedge_test_total{mode="inline"} 3\nedge_test_total{mode="queued"} 1',
  )
  expect(text).toContain('edge_plain_total 1')
  expect(text).toContain('# TYPE edge_test_open gauge\nedge_test_open 3')
  expect(text).toContain('edge_test_seconds_bucket{le="0.005"} 0\nedge_test_seconds_bucket{le="0.01"} 1')
  expect(text).toContain('edge_test_seconds_bucket{le="300"} 1\nedge_test_seconds_bucket{le="+Inf"} 2')
  expect(text).toContain('edge_test_seconds_sum 400.007\nedge_test_seconds_count 2')
})

test('[MON-1] what is defined begins at zero and has its help', () => {
  define('counter', 'edge_defined_total', 'Things.', [{ kind: 'a' }, { kind: 'b' }])
  define('histogram', 'edge_defined_seconds', 'Time.', [{ kind: 'a' }])
  count('edge_defined_total', { kind: 'b' })
  const text = metricsText()
  expect(text).toContain('# HELP edge_defined_total Things.\n# TYPE edge_defined_total counter')
  expect(text).toContain('edge_defined_total{kind="a"} 0\nedge_defined_total{kind="b"} 1')
  expect(text).toContain('edge_defined_seconds_count{kind="a"} 0')
})

test('[MON-1] figures need the token, except where everything is open', async () => {
  const ask = async (env: Parameters<typeof metricsResponse>[1], token?: string) => {
    const headers: HeadersInit = token ? { Authorization: `Bearer ${token}` } : {}
    return (await metricsResponse(new Request('https://edge.example/metrics', { headers }), env)).status
  }
  expect(await ask({})).toBe(401)
  expect(await ask({}, 'undefined')).toBe(401)
  expect(await ask({ METRICS_TOKEN: 'right' })).toBe(401)
  expect(await ask({ METRICS_TOKEN: 'right' }, 'wrong')).toBe(401)
  expect(await ask({ METRICS_TOKEN: 'right' }, 'right')).toBe(200)
  expect(await ask({ METRICS_TOKEN: 'right', EDGE_OPEN_PROJECT: 'default' })).toBe(401)
  expect(await ask({ EDGE_OPEN_PROJECT: 'default' })).toBe(200)
})
