// When nobody wants to be called. Pure: the time of day is handed in.

export type QuietHours = { on: boolean; from: string; to: string }

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/

export const isTime = (text: unknown): text is string => typeof text === 'string' && TIME.test(text)

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** `from` is quiet, `to` no longer. Over midnight when it ends before it begins; the same time twice means all day. */
export function isQuiet({ on, from, to }: QuietHours, now: { hours: number; minutes: number }): boolean {
  if (!on) return false
  const [start, end, at] = [minutesOf(from), minutesOf(to), now.hours * 60 + now.minutes]
  if (start === end) return true
  return start < end ? at >= start && at < end : at >= start || at < end
}

type Moment = {
  /** Nobody looks at the page. */
  hidden: boolean
  allowed: boolean
  wanted: boolean
  /** All tabs hear the same; one of them speaks. */
  leads: boolean
  muted: boolean
  quiet: boolean
}

/** Whether something new is worth a note on the desktop. */
export const mayCall = ({ hidden, allowed, wanted, leads, muted, quiet }: Moment): boolean =>
  hidden && allowed && wanted && leads && !muted && !quiet
