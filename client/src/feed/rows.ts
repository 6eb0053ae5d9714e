// The rows of a list: days, activities, folds of several activities, and the line above what was there before. Built anew whenever items change, so
// it only touches what it must: the day of an activity is worked out once, and arrivals that are held change no row.
import type { FeedItem } from '#shared/feed.ts'
import { goneOf, type ShownPage } from '../live/merge.ts'
import { foldsIn, type Group, groupIdOf, type Reader } from './grouping.ts'
import { dayOf } from './when.ts'

export type Row =
  | { kind: 'day'; key: string; time: number }
  /** `group`: the head of a fold, which shows its newest; `inner`: one of those below it while it is open. */
  | { kind: 'item'; key: string; item: FeedItem; place: number; joined: boolean; group: Group | null; inner: boolean }
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
  reader: Reader
  /** Folds that somebody has opened, by their ids. */
  open: ReadonlySet<string>
  /** What the reader is just deleting. */
  hidden: ReadonlySet<number>
}

export function buildRows({ pages, since, reader, open, hidden }: Input): Row[] {
  const items = [...eachOnce(pages)].filter(({ id }) => !hidden.has(id))
  const folds = foldsIn(items, reader)
  const rows: Row[] = []
  let day = 0
  let place = 0
  let marked = since === null

  function add(item: FeedItem, key: string, group: Group | null, inner: boolean) {
    place += 1
    const { time, day: itemDay } = timeOf(item)
    if (!marked && item.id <= since!.id) {
      marked = true
      if (place > 1) rows.push({ kind: 'since', key: 'since', at: since!.at })
    }
    // What is inside a fold stays with its head, also over midnight.
    const begins = !inner && itemDay !== day
    if (begins) {
      day = itemDay
      rows.push({ kind: 'day', key: `day-${itemDay}`, time })
    }
    rows.push({ kind: 'item', key, item, place, joined: !begins && rows.at(-1)?.kind !== 'since', group, inner })
  }

  for (const item of items) {
    const id = groupIdOf(item, reader)
    const fold = id === null ? undefined : folds.get(id)
    // What is deleted inside a fold was not to be seen by itself: the fold just has one less.
    if (goneOf(item) && fold) continue
    if (!fold) add(item, `item-${item.id}`, null, false)
    else if (fold[0] === item) {
      const group: Group = { id: id!, items: fold, open: open.has(id!) }
      add(item, `group-${id}`, group, false)
      if (group.open) for (const other of fold.slice(1)) add(other, `item-${other.id}`, null, true)
    }
  }
  return rows
}

/** Ids only fall. Whatever does not is an item that was already there. */
function* eachOnce(pages: readonly ShownPage[]): Generator<FeedItem> {
  let last = Number.POSITIVE_INFINITY
  for (const { items } of pages) {
    for (const item of items) {
      if (item.id >= last) continue
      last = item.id
      yield item
    }
  }
}

/** What a row stands for: all of a fold that is closed, otherwise the one activity that it shows. */
export function itemsOf(row: Row | undefined): readonly FeedItem[] {
  if (row?.kind !== 'item') return []
  return row.group && !row.group.open ? row.group.items : [row.item]
}

/** Builds rows and gives the same ones again as long as no item and no mark has changed. */
export function createRowBuilder(): (input: Input) => Row[] {
  let last: Input | null = null
  let rows: Row[] = []
  return (input) => {
    const same = last !== null && last.since === input.since && last.open === input.open && last.hidden === input.hidden
    if (!same || !sameItems(last!.pages, input.pages)) rows = buildRows(input)
    last = input
    return rows
  }
}

const sameItems = (before: readonly ShownPage[], after: readonly ShownPage[]): boolean =>
  before === after ||
  (before.length === after.length && after.every((page, index) => page.items === before[index]!.items))

/** The index of the row that shows an activity, be it in a fold; null when it is not in the list. */
export function indexOfItem(rows: readonly Row[], id: number | null): number | null {
  if (id === null) return null
  const index = rows.findIndex(
    (row) =>
      row.kind === 'item' &&
      (row.item.id === id || (row.group && !row.group.open && row.group.items.some((item) => item.id === id))),
  )
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
