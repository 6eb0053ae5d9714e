import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCursor, printCursor } from './cursor.ts'

test('[FEED-6] a cursor survives being printed and read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
      expect(parseCursor(printCursor(id))).toEqual({ ok: true, value: id })
    }),
  )
})

test('[FEED-9] a forged cursor is refused by name', () => {
  for (const text of ['', 'p1_', 'p1_0', 'p1_-1', 'p2_1', 'p1_zzzzzzzzzzzz', "p1_1' or 1=1", 'P1_1', 'p1_1\n'])
    expect(parseCursor(text), text).toMatchObject({ code: 'BAD_CURSOR', field: 'cursor' })
})
