import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dealSlots, resizeStep } from './slots.ts'

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

test('[JOB-1] slots sum to the limit exactly', () => {
  expect(dealSlots(10, 4)).toEqual([3, 3, 2, 2])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), fc.nat(300), (partitions, more) => {
      const slots = dealSlots(partitions + more, partitions)
      expect(sum(slots)).toBe(partitions + more)
      expect(Math.max(...slots) - Math.min(...slots)).toBeLessThanOrEqual(1)
      expect(Math.min(...slots)).toBeGreaterThan(0)
    }),
  )
})

test('[JOB-1] nothing grows beyond the room that was confirmed', () => {
  expect(resizeStep([3, 3, 2, 2], [5, 5])).toEqual({
    shrink: [
      { partition: 2, slots: 0 },
      { partition: 3, slots: 0 },
    ],
    grow: [],
  })
  expect(resizeStep([3, 3, 0, 2], [5, 5]).grow).toEqual([{ partition: 0, slots: 5 }])
  expect(resizeStep([5, 5, 0, 0], [5, 5])).toEqual({ shrink: [], grow: [] })
})
