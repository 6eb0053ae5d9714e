import { expect, test } from 'vitest'
import { familyOf, metricsIn } from './promql.ts'
import { toYaml } from './yaml.ts'

test.each([
  ['sum by (le, route) (rate(a_bucket{route=~"x|by"}[5m])) > 0.5', ['a_bucket']],
  ['max(a / (b > 0)) or absent(c)', ['a', 'b', 'c']],
  ['x:y:z{slo="a"} and on (slo) (slo:b unless on () d == 1)', ['x:y:z', 'slo:b', 'd']],
  ['max(time() - t_seconds) > 1.5e3', ['t_seconds']],
  ['histogram_quantile(0.95, sum by (le) (rate(h_bucket[$__rate_interval])))', ['h_bucket']],
])('[MON-5] metrics of %s', (expression, expected) => {
  expect(metricsIn(expression)).toEqual(expected)
})

test('[MON-5] the parts of a histogram are one family', () => {
  expect(['a_bucket', 'a_sum', 'a_count', 'a_total'].map(familyOf)).toEqual(['a', 'a', 'a', 'a_total'])
})

test('YAML: what could be taken for something else is quoted, several lines are a block', () => {
  expect(toYaml({ a: 'off', b: '5m', c: 'x: y', d: ['1', 2, { e: 'one\ntwo' }], f: [] }, 'note')).toBe(
    '# note\na: "off"\nb: 5m\nc: "x: y"\nd:\n  - "1"\n  - 2\n  - e: |-\n      one\n      two\nf: []\n',
  )
})
