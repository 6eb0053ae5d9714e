// Unread counts: the server says what they are as of which activity, and later activities are added here, so that a
// publish costs no frame per follower.
import type { FeedItem } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'

export type Reader = { id: string; handle: string }

const isOwn = (item: FeedItem, reader: Reader) => item.actor.kind === 'person' && item.actor.id === reader.id

/** `later`: what arrived live, each once; what the counts already hold is left out by its number. */
export function currentCounts(
  base: UnreadCounts,
  later: readonly FeedItem[],
  reader: Reader,
  muted: ReadonlySet<number>,
): UnreadCounts {
  const fresh = later.filter(
    (item) => !item.read && !isOwn(item, reader) && item.no > (base.heads[item.topic.id] ?? Number.POSITIVE_INFINITY),
  )
  if (fresh.length === 0) return base
  const topics = { ...base.topics }
  let { total, mentions } = base
  for (const item of fresh) {
    topics[item.topic.id] = (topics[item.topic.id] ?? 0) + 1
    if (!muted.has(item.topic.id)) total += 1
    if (item.mentions.includes(reader.handle)) mentions += 1
  }
  return { ...base, total, mentions, topics }
}

/** The newer of two answers; they may overtake each other. */
export const newerCounts = (known: UnreadCounts | undefined, next: UnreadCounts): UnreadCounts =>
  known === undefined || next.version >= known.version ? next : known

/** Counts as they will be once the server has heard of marks that were just made here. */
export function countsAfterMarks(
  base: UnreadCounts,
  changed: readonly FeedItem[],
  read: boolean,
  reader: Reader,
  muted: ReadonlySet<number>,
): UnreadCounts {
  const topics = { ...base.topics }
  let { total, mentions } = base
  const by = read ? -1 : 1
  for (const item of changed) {
    // Newer ones are not in the base; they are counted by their own flag.
    if (item.read === read || item.no > (base.heads[item.topic.id] ?? 0)) continue
    topics[item.topic.id] = Math.max(0, (topics[item.topic.id] ?? 0) + by)
    if (!muted.has(item.topic.id)) total = Math.max(0, total + by)
    if (item.mentions.includes(reader.handle)) mentions = Math.max(0, mentions + by)
  }
  return { ...base, total, mentions, topics }
}
