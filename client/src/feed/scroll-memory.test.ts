import { expect, it } from 'vitest'
import { keepPlace, placeIn } from './scroll-memory.ts'

const place = (row: string) => ({ row, distancePx: 12, measured: [] })

it('[FEED-13] a list is found where it was left, and at its top when it was left there', () => {
  keepPlace('all', place('item-7'))
  expect(placeIn('all')).toEqual(place('item-7'))
  keepPlace('all', null)
  expect(placeIn('all')).toBeUndefined()
})

it('[FEED-13] only the last lists are remembered', () => {
  for (let n = 0; n < 21; n += 1) keepPlace(`list-${n}`, place(`item-${n}`))
  expect(placeIn('list-0')).toBeUndefined()
  expect(placeIn('list-1')).toBeDefined()
  expect(placeIn('list-20')).toBeDefined()
})
