import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatOffset, parseOffset, parseOffsetRequest } from './offset.ts'

const position = fc.integer({ min: 0, max: 9_999_999_999_999_99 })

describe('offsets', () => {
  test('[STR-3] printed and read again, a position is the same', () => {
    fc.assert(
      fc.property(position, (at) => {
        expect(parseOffset(formatOffset(at))).toBe(at)
      }),
    )
  })

  test('[STR-3] text order is stream order, and every offset has the same width', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        expect(formatOffset(a) < formatOffset(b)).toBe(a < b)
        expect(formatOffset(a)).toHaveLength(33)
      }),
    )
  })

  test.each([
    '',
    '0',
    '1_2',
    ' ',
    '-2',
    'NOW',
    `${'0'.repeat(16)}_${'9'.repeat(17)}`,
    `1${'0'.repeat(15)}_${'0'.repeat(16)}`,
  ])('[STR-6] %j was never handed out', (text) => expect(parseOffsetRequest(text)).toBeNull())

  test('the two words of the protocol', () => {
    expect(parseOffsetRequest('-1')).toEqual({ at: 'start' })
    expect(parseOffsetRequest('now')).toEqual({ at: 'now' })
  })
})
