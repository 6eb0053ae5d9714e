// Lines between rows. A feed may hold nothing but articles, so these are for the eye; each row says its own time.
import { feedTexts } from '../texts/feed.ts'
import { clockTime, dayName } from './when.ts'

export function DayHeading({ time, now }: { time: number; now: number }) {
  const { name, date } = dayName(time, now)
  return (
    <div
      aria-hidden="true"
      className="flex h-8.5 items-center gap-2.5 bg-surface pr-(--gutter-r) pl-(--gutter-l) text-12 font-semibold text-ink-2 after:h-px after:flex-1 after:bg-line-faint"
    >
      {name}
      {date !== '' && <span className="font-normal text-ink-3">{date}</span>}
    </div>
  )
}

/** Above what was there before new rows were let in. */
export function SinceLine({ at }: { at: number }) {
  return (
    <div
      aria-hidden="true"
      className="flex h-8.5 items-center gap-2.5 bg-surface pr-(--gutter-r) pl-(--gutter-l) text-12 font-medium text-accent-text before:h-px before:flex-1 before:bg-accent-line after:h-px after:flex-1 after:bg-accent-line"
    >
      {feedTexts.newSince(clockTime(at))}
    </div>
  )
}
