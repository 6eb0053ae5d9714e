import { expect, it } from 'vitest'
import { stretches } from './paths.ts'

const box = { width: 40, height: 20, pad: 0 }

it('[FEED-17] the highest value is at the top, nothing at the bottom', () => {
  expect(stretches([0, 5, 10], box)).toEqual([{ line: 'M0 20 L20 10 L40 0', area: 'M0 20 L20 10 L40 0 V20 H0 Z' }])
})

it('[FEED-17] what is not known is a gap, and a single point is still seen', () => {
  expect(stretches([4, null, null, 4, 8], box).map(({ line }) => line)).toEqual(['M0 10 L1 10', 'M30 10 L40 0'])
})

it('[FEED-17] a series of nothing lies on the ground, an unknown one is not drawn', () => {
  expect(stretches([0, 0], box)[0]?.line).toBe('M0 20 L40 20')
  expect(stretches([null, null], box)).toEqual([])
})
