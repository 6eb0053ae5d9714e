import { expect, it } from 'vitest'
import { dayName, dayOf, duration, roughDuration, shortTime } from './when.ts'

const at = (text: string) => new Date(text).getTime()
const now = at('2026-11-18T10:24:00')

it('[FEED-13] times read as people say them', () => {
  expect(shortTime(at('2026-11-18T09:05:00'), now)).toBe('09:05')
  expect(shortTime(at('2026-11-17T23:59:00'), now)).toBe('Tue 23:59')
  expect(shortTime(at('2026-11-12T08:00:00'), now)).toBe('Thu 08:00')
  expect(shortTime(at('2026-11-11T08:00:00'), now)).toBe('11 Nov')
  expect(shortTime(at('2025-12-30T08:00:00'), now)).toBe('30 Dec 2025')
})

it('[LIVE-13] a clock that is behind the server makes no negative times', () => {
  expect(shortTime(now + 60_000, now)).toBe('10:25')
  expect(duration(-500)).toBe('0 s')
  expect(dayName(now + 60_000, now).name).toBe('Today')
})

it('[FEED-13] days have names while they are near', () => {
  expect(dayName(now, now)).toEqual({ name: 'Today', date: 'Wednesday 18 November' })
  expect(dayName(at('2026-11-17T01:00:00'), now).name).toBe('Yesterday')
  expect(dayName(at('2026-11-03T01:00:00'), now)).toEqual({ name: 'Tuesday 3 November', date: '' })
  expect(dayOf(at('2026-11-17T00:00:00'))).not.toBe(dayOf(at('2026-11-16T23:59:59')))
})

it('[FEED-14] waits have units', () => {
  expect([23_000, 72_000, 120_000, 7_500_000].map(duration)).toEqual(['23 s', '1 min 12 s', '2 min', '2 h 5 min'])
  expect([23_000, 72_000, 7_500_000].map(roughDuration)).toEqual(['23 s', '1 min', '2 h'])
})
