import { describe, expect, it } from 'vitest'
import { age, bytes, growth, growthPerMinute, rate, whole } from './numbers.ts'

describe('[FEED-17] figures', () => {
  it.each([
    [0, ['0', 'ms']],
    [480, ['480', 'ms']],
    [3_000, ['3', 's']],
    [3_240, ['3.2', 's']],
    [45_400, ['45', 's']],
    [372_000, ['6', 'min']],
    [7_300_000, ['2', 'h']],
  ])('%d ms', (ms, said) => expect(age(ms)).toEqual(said))

  it.each([
    [0, '0'],
    [0.04, '0.0'],
    [9.94, '9.9'],
    [9.96, '10'],
    [1_284.4, '1,284'],
  ])('a rate of %d', (n, said) => expect(rate(n)).toBe(said))

  it.each([
    [999, '999 B'],
    [1_200, '1.2 KB'],
    [999_600, '1.0 MB'],
    [52_000_000, '52 MB'],
  ])('%d bytes', (n, said) => expect(bytes(n)).toBe(said))

  it('growth is between the first and the last that are known', () => {
    expect(growthPerMinute([null, 100, null, 160, null], 5_000)).toBe(360)
    expect(growthPerMinute([null, 100, null], 5_000)).toBeNull()
    expect(growth([null, 4, 6, 5, null])).toBe(1)
    expect(growth([3])).toBe(0)
    expect(whole(1_284)).toBe('1,284')
  })
})
