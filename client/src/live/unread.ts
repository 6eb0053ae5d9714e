// Unread counts: the server says what they are as of which activity, and later activities are added here, so that a
// publish costs no frame per follower.
import type { FeedItem } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'

export type Reader = { id: string; handle: string }

export const isOwn = (item: FeedItem, reader: Reader) => item.actor.kind === 'person' && item.actor.id === reader.id

/** An activity that was deleted, and whether it was counted: unread and, `mentions`, a mention of the reader. */
export type Deletion = { topic: number; no: number; seq: number; unread: boolean; mentions: boolean }

/** `later`: what arrived live, each once; what the counts already hold is left out by its number. */
export function currentCounts(
  base: UnreadCounts,
  later: readonly FeedItem[],
  deletions: readonly Deletion[],
  reader: Reader,
  muted: ReadonlySet<number>,
): UnreadCounts {
  // What the counts know to be deleted by now is not in them.
  const gone = deletions.filter(
    ({ topic, no, seq, unread }) =>
      unread && no <= (base.heads[topic] ?? 0) && seq > (base.deletions[topic] ?? 0) && (base.topics[topic] ?? 0) > 0,
  )
  const fresh = later.filter(
    (item) => !item.read && !isOwn(item, reader) && item.no > (base.heads[item.topic.id] ?? Number.POSITIVE_INFINITY),
  )
  if (fresh.length === 0 && gone.length === 0) return base
  const topics = { ...base.topics }
  let { total, mentions } = base
  for (const one of gone) {
    topics[one.topic] = Math.max(0, (topics[one.topic] ?? 0) - 1)
    if (!muted.has(one.topic)) total = Math.max(0, total - 1)
    if (one.mentions) mentions = Math.max(0, mentions - 1)
  }
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
