import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isQuiet, isTime, mayCall } from './quiet-hours.ts'

const at = (hours: number, minutes = 0) => ({ hours, minutes })

it('[FEED-16] quiet hours go over midnight, begin with their first minute and end before their last', () => {
  const night = { on: true, from: '22:00', to: '07:30' }
  expect([at(21, 59), at(22), at(0), at(7, 29), at(7, 30), at(12)].map((now) => isQuiet(night, now))).toEqual([
    ...[false, true, true, true, false, false],
  ])
  const noon = { on: true, from: '12:00', to: '13:00' }
  expect([at(11, 59), at(12), at(12, 59), at(13)].map((now) => isQuiet(noon, now))).toEqual([false, true, true, false])
  expect(isQuiet({ on: true, from: '08:00', to: '08:00' }, at(3))).toBe(true)
  expect(isQuiet({ ...night, on: false }, at(23))).toBe(false)
})

it('[FEED-16] every minute is quiet in the hours or in those around them, never in both', () => {
  const minute = fc.nat({ max: 1_439 })
  const text = (n: number) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`
  fc.assert(
    fc.property(minute, minute, minute, (from, to, now) => {
      fc.pre(from !== to)
      const moment = at(Math.floor(now / 60), now % 60)
      const inside = isQuiet({ on: true, from: text(from), to: text(to) }, moment)
      expect(isQuiet({ on: true, from: text(to), to: text(from) }, moment)).toBe(!inside)
    }),
  )
})

it('[FEED-16] a call needs consent, a wish, a hidden page, and none of the reasons to be still', () => {
  const yes = { hidden: true, allowed: true, wanted: true, leads: true, muted: false, quiet: false }
  expect(mayCall(yes)).toBe(true)
  for (const name of ['hidden', 'allowed', 'wanted', 'leads'] as const)
    expect(mayCall({ ...yes, [name]: false })).toBe(false)
  for (const name of ['muted', 'quiet'] as const) expect(mayCall({ ...yes, [name]: true })).toBe(false)
})

it('[FEED-16] times that are none are not taken', () => {
  expect(['00:00', '23:59'].every(isTime)).toBe(true)
  expect([undefined, 7, '', '7:00', '24:00', '12:60', '12:00:00'].some(isTime)).toBe(false)
})
