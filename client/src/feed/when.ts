// Times as people say them. `now` is always an argument; the time zone is the reader's own.
import { feedTexts } from '../texts/feed.ts'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })
const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayMonthYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

/** A number that is the same for all moments of one local day. */
export function dayOf(time: number): number {
  const date = new Date(time)
  return date.getFullYear() * 10_000 + date.getMonth() * 100 + date.getDate()
}

const daysAgo = (time: number, now: number): number => {
  const midnight = (moment: number) => new Date(moment).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(time)) / 86_400_000)
}

export const clockTime = (time: number): string => clock.format(time)
export const clockTimeExact = (time: number): string => clockSeconds.format(time)
export const exactTime = (time: number): string => exact.format(time)

/** `10:22` today, `Tue 10:22` this week, then `3 Nov`. */
export function shortTime(time: number, now: number): string {
  const days = daysAgo(time, now)
  if (days <= 0) return clock.format(time)
  if (days < 7) return `${weekday.format(time)} ${clock.format(time)}`
  return new Date(time).getFullYear() === new Date(now).getFullYear()
    ? dayMonth.format(time)
    : dayMonthYear.format(time)
}

/** The name of a day, and its date where the name does not say it. */
export function dayName(time: number, now: number): { name: string; date: string } {
  const days = daysAgo(time, now)
  const date = longDay.format(time)
  if (days <= 0) return { name: feedTexts.today, date }
  if (days === 1) return { name: feedTexts.yesterday, date }
  return { name: date, date: '' }
}

/** `23 s`, `1 min 12 s`, `2 h 5 min`; never negative. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** One number only, for where there is little room. */
export function roughDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`
}
