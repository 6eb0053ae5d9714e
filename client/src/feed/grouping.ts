// Which activities fold into one row: the same kind of thing about the same thing, close in time. Decided for each
// activity by itself, from nothing but what it says: so a fold has the same name whatever else is loaded, and neither
// arrivals nor older pages break it up. Pure.
import type { FeedItem } from '#shared/feed.ts'
import { goneOf } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { type HeadlinePart, headlineOf } from './headline.ts'

/** Close in time: within the same quarter of a day. */
const WINDOW_MS = 6 * 3_600_000

export type Reader = { id: string; handle: string }

/** Newest first; more than one. */
export type Group = { id: string; items: readonly FeedItem[]; open: boolean }

const ids = new WeakMap<FeedItem, string | null>()

/** Null for what stands alone. What names the reader always does: it must not be overlooked. */
export function groupIdOf(item: FeedItem, reader: Reader): string | null {
  if (item.groupKey === null) return null
  let id = ids.get(item)
  if (id === undefined) {
    const window = Math.floor(Date.parse(item.publishedAt) / WINDOW_MS)
    id = item.mentions.includes(reader.handle) ? null : `${item.topic.id} ${item.verb} ${window} ${item.groupKey}`
    ids.set(item, id)
  }
  return id
}

/** All folds among items that fall by id. */
export function foldsIn(items: Iterable<FeedItem>, reader: Reader): Map<string, FeedItem[]> {
  const folds = new Map<string, FeedItem[]>()
  for (const item of items) {
    const id = goneOf(item) ? null : groupIdOf(item, reader)
    if (id === null) continue
    const fold = folds.get(id)
    if (fold) fold.push(item)
    else folds.set(id, [item])
  }
  for (const [id, fold] of folds) if (fold.length < 2) folds.delete(id)
  return folds
}

/** "Ada and 4 others commented on #42"; for one person's own doings, how many times. */
export function groupHeadline(items: readonly FeedItem[], reader: Reader): HeadlinePart[] {
  const [actor, ...happened] = headlineOf(items[0]!, reader)
  const others = new Set(items.map(({ actor: who }) => `${who.kind} ${who.id}`)).size - 1
  if (others === 0) return [actor!, ...happened, { kind: 'quiet', text: feedTexts.group.times(items.length) }]
  return [
    actor!,
    { kind: 'plain', text: feedTexts.group.and },
    { kind: 'actor', text: feedTexts.group.others(others) },
    ...happened,
  ]
}
