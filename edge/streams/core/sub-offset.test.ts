import { expect, test } from 'vitest'
import { parseSubOffset, placeOfSubOffset } from './sub-offset.ts'

test('[STR-1] bytes are counted from the anchor, up to the end of that append', () => {
  const view = { json: false, batchEnd: 15, messageStarts: [] }
  expect([0, 1, 5].map((sub) => placeOfSubOffset(10, sub, view))).toEqual([10, 11, 15])
  expect(placeOfSubOffset(10, 6, view)).toMatchObject({ status: 400 })
})

test('[STR-1] of JSON whole messages are counted', () => {
  const view = { json: true, batchEnd: 30, messageStarts: [14, 21] }
  expect([0, 1, 2, 3].map((sub) => placeOfSubOffset(10, sub, view))).toEqual([10, 14, 21, 30])
  expect(placeOfSubOffset(10, 4, view)).toMatchObject({ status: 400 })
})

test.each(['-1', '05', '+1', '1.5', '', 'a'])('[STR-6] %j is no sub-offset', (text) => {
  expect(parseSubOffset(text)).toBeNull()
})
