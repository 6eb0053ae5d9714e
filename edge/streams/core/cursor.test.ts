import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CURSOR_EPOCH_MS, CURSOR_INTERVAL_MS, nextCursor } from './cursor.ts'

const now = CURSOR_EPOCH_MS + 1_000 * CURSOR_INTERVAL_MS

test('[STR-1] everybody who asks in one interval gets the same cursor', () => {
  expect(nextCursor(null, now, () => 0)).toBe('1000')
  expect(nextCursor('999', now + CURSOR_INTERVAL_MS - 1, () => 0.9)).toBe('1000')
  expect(nextCursor('not a number', now, () => 0)).toBe('1000')
})

test('[STR-1] a cursor never stands still or goes back', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (given, roll) => {
      const next = Number(nextCursor(String(given), now, () => roll))
      expect(next).toBeGreaterThanOrEqual(1_000)
      expect(next).toBeGreaterThan(given)
    }),
  )
})
