// The rows of a list: days, activities, and the line above what was there before. Built anew whenever items change, so
// it only touches what it must: the day of an activity is worked out once, and arrivals that are held change no row.
import type { FeedItem } from '#shared/feed.ts'
import type { ShownPage } from '../live/merge.ts'
import { dayOf } from './when.ts'

export type Row =
  | { kind: 'day'; key: string; time: number }
  | { kind: 'item'; key: string; item: FeedItem; place: number; joined: boolean }
  | { kind: 'since'; key: string; at: number }

const times = new WeakMap<FeedItem, { time: number; day: number }>()

export function timeOf(item: FeedItem): { time: number; day: number } {
  let known = times.get(item)
  if (!known) {
    const time = Date.parse(item.publishedAt)
    known = { time, day: dayOf(time) }
    times.set(item, known)
  }
  return known
}

type Input = {
  pages: readonly ShownPage[]
  /** The activity that was first before new ones were let in, and when. */
  since: { id: number; at: number } | null
}

export function buildRows({ pages, since }: Input): Row[] {
  const rows: Row[] = []
  let day = 0
  const heading = (time: number, of: number) => {
    if (of === day) return false
    day = of
    rows.push({ kind: 'day', key: `day-${of}`, time })
    return true
  }
  let last = Number.POSITIVE_INFINITY
  let place = 0
  for (const page of pages) {
    for (const item of page.items) {
      // Ids only fall. Whatever does not is a row that is already there.
      if (item.id >= last) continue
      last = item.id
      place += 1
      const { time, day: itemDay } = timeOf(item)
      if (since !== null && item.id === since.id && place > 1) rows.push({ kind: 'since', key: 'since', at: since.at })
      const begun = heading(time, itemDay)
      const previous = rows.at(-1)
      rows.push({ kind: 'item', key: `item-${item.id}`, item, place, joined: !begun && previous?.kind !== 'since' })
    }
  }
  return rows
}

/** Builds rows and gives the same ones again as long as no item and no mark has changed. */
export function createRowBuilder(): (input: Input) => Row[] {
  let last: Input | null = null
  let rows: Row[] = []
  return (input) => {
    if (last === null || last.since !== input.since || !sameItems(last.pages, input.pages)) rows = buildRows(input)
    last = input
    return rows
  }
}

const sameItems = (before: readonly ShownPage[], after: readonly ShownPage[]): boolean =>
  before === after ||
  (before.length === after.length && after.every((page, index) => page.items === before[index]!.items))

/** The index of an activity's row; null when it is not in the list. */
export function indexOfItem(rows: readonly Row[], id: number | null): number | null {
  if (id === null) return null
  const index = rows.findIndex((row) => row.kind === 'item' && row.item.id === id)
  return index < 0 ? null : index
}

/** The index of the next activity from a row, in either direction; null at the end. */
export function neighbour(rows: readonly Row[], from: number, step: 1 | -1): number | null {
  for (let index = from + step; index >= 0 && index < rows.length; index += step)
    if (rows[index]!.kind === 'item') return index
  return null
}

/** The index of the first unread activity below a row, or else from the top; null when all rows are read. */
export function nextUnread(rows: readonly Row[], from: number): number | null {
  const isUnread = (row: Row) => row.kind === 'item' && !row.item.read
  const below = rows.findIndex((row, index) => index > from && isUnread(row))
  const found = below >= 0 ? below : rows.findIndex(isUnread)
  return found < 0 ? null : found
}

/**
 * What "mark all read" covers, by topic id: everything counted so far except what the reader was not shown. `held` are
 * arrivals that wait above the list.
 */
export function shownUpTo(
  heads: Record<string, number>,
  pages: readonly ShownPage[],
  held: readonly FeedItem[],
): Record<string, number> {
  const upTo: Record<string, number> = { ...heads }
  for (const page of pages) for (const { topic, no } of page.items) if (no > (upTo[topic.id] ?? 0)) upTo[topic.id] = no
  for (const { topic, no } of held) if ((upTo[topic.id] ?? 0) >= no) upTo[topic.id] = no - 1
  return upTo
}
