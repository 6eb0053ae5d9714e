import { expect, test } from 'vitest'
import { parseTraceparent } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('[MON-8] reads the trace context of the W3C', () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true })
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.sampled).toBe(false)
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes-later`)?.traceId).toBe(TRACE)
})

test.each([
  undefined,
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}\n-${SPAN}-01`,
])('[MON-8] %j is none', (text) => {
  expect(parseTraceparent(text)).toBeNull()
})
