import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge } from './sequence.ts'

test('[LIVE-13] the next number applies, a known one is a repeat, one beyond the next shows a hole', () => {
  expect(judge(undefined, 7)).toBe('apply')
  expect(judge(7, 8)).toBe('apply')
  expect(judge(7, 7)).toBe('repeat')
  expect(judge(7, 3)).toBe('repeat')
  expect(judge(7, 9)).toBe('hole')
})

test('[LIVE-13] whatever arrives in whatever order, what is applied counts up by one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), (arrivals) => {
      let last = 0
      for (const seq of arrivals)
        if (judge(last, seq) === 'apply') {
          expect(seq).toBe(last + 1)
          last = seq
        }
    }),
  )
})
