// Read state as the feed uses it: marks, flags, unread numbers and counts. What was read comes from wherever it is at the
// moment (read-access.ts), how far topics go from Postgres, what the person wrote from feed-facts.ts; the answers are
// arithmetic on these three, so nothing is counted up or down and nothing drifts.
import { randomUUID } from 'node:crypto'
import type { Operation, PersonReads } from '#server/domain/read/person-reads.ts'
import { type Range, segmentOf, subtract } from '#server/domain/read/segments.ts'
import { countUnread, hasNumber, isRead, sizeOf, unreadRanges, viewOf } from '#server/domain/read/unread.ts'
import type { Clock } from '#shared/clock.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { FeedFacts, PersonFacts } from './feed-facts.ts'
import type { TopicStore } from './ports.ts'
import type { Compared, ReadAccess } from './read-access.ts'
import type { MarkPlace, ReadStore, ReadTopic } from './read-ports.ts'

const UNDO_MS = 60_000
const NONE: readonly number[] = []

type Deps = {
  access: ReadAccess
  topics: Pick<TopicStore, 'followed'>
  facts: Pick<FeedFacts, 'of'>
  clock: Clock
  /** How long a segment is kept after its newest activity. */
  segmentMs: number
}

export function createReadState({ access, topics, facts, clock, segmentMs }: Deps): ReadStore {
  /** What one state has unread and the other has not. */
  async function difference(viewer: string, more: PersonReads, less: PersonReads) {
    const { topics: followed } = await topics.followed(viewer)
    const { own } = await facts.of(viewer, followed)
    const rangesOf = (reads: PersonReads, topic: ReadTopic) => unreadOf(reads, topic, own.get(topic.id))
    return followed.flatMap((topic) =>
      subtract(rangesOf(more, topic), rangesOf(less, topic)).map(([from, to]) => ({ topicId: topic.id, from, to })),
    )
  }

  return {
    async mark(viewer, places, read) {
      return { version: await access.change(viewer, toMark(places, read, segmentMs)) }
    },

    async markUpTo(viewer, upTo) {
      const shown = new Map(upTo.map(({ topicId, no }) => [topicId, no]))
      const { topics: followed } = await topics.followed(viewer)
      const id = randomUUID()
      const operation: Operation = {
        kind: 'all',
        id,
        until: clock.now() + UNDO_MS,
        topics: followed.flatMap(({ id: topicId, no, floor, follow }) => {
          // Nobody has been shown what does not exist yet.
          const reached = Math.min(shown.get(topicId) ?? 0, no)
          return reached > 0 ? [{ topicId, follow: follow.id, start: follow.start, floor, upTo: reached }] : []
        }),
      }
      const { version, before, after } = (await access.changeAndCompare(viewer, operation)) ?? (await same(viewer))
      const added = await difference(viewer, before, after)
      return { version, undo: id, added, marked: sizeOf(added.map(({ from, to }): Range => [from, to])) }
    },

    async undo(viewer, undo) {
      const compared = await access.changeAndCompare(viewer, { kind: 'undo', id: randomUUID(), undo })
      if (!compared) return null
      return { version: compared.version, removed: await difference(viewer, compared.after, compared.before) }
    },

    async forget(viewer, topicId, follow) {
      await access.change(viewer, { kind: 'forget', id: randomUUID(), topicId, follow })
    },

    async flags(viewer, places) {
      if (places.length === 0) return []
      const flags = await access.flags(viewer, places)
      if (flags) return flags
      const reads = await access.read(viewer)
      return places.map(({ topicId, no, floor, follow }) => no <= floor || isRead(viewOf(reads, topicId, follow), no))
    },

    async unread(viewer, asked) {
      const [reads, { own }] = await Promise.all([access.read(viewer), facts.of(viewer, asked)])
      return asked.map((topic) => ({ topicId: topic.id, ranges: unreadOf(reads, topic, own.get(topic.id)) }))
    },

    async counts(viewer) {
      const [followed, reads] = await Promise.all([topics.followed(viewer), access.read(viewer)])
      return countsOf(reads, followed.topics, await facts.of(viewer, followed.topics))
    },

    version: (viewer) => access.version(viewer),
  }

  async function same(viewer: string): Promise<Compared> {
    const reads = await access.read(viewer)
    return { version: reads.version, before: reads, after: reads }
  }
}

const unreadOf = (reads: PersonReads, { id, floor, no, follow }: ReadTopic, own = NONE): Range[] =>
  unreadRanges(viewOf(reads, id, follow), { floor, head: no }, own)

function countsOf(reads: PersonReads, topics: (ReadTopic & { muted: boolean })[], facts: PersonFacts): UnreadCounts {
  const counts: UnreadCounts = { total: 0, mentions: 0, topics: {}, heads: {}, version: reads.version }
  for (const { id, floor, no: head, follow, muted } of topics) {
    const view = viewOf(reads, id, follow)
    const own = facts.own.get(id) ?? NONE
    const unread = countUnread(view, { floor, head }, own)
    counts.heads[id] = head
    if (unread === 0) continue
    counts.topics[id] = unread
    if (!muted) counts.total += unread
    for (const no of facts.mentions.get(id) ?? NONE)
      if (no > floor && no <= head && !hasNumber(own, no) && !isRead(view, no)) counts.mentions += 1
  }
  return counts
}

/** In groups that lie in one segment each. */
function toMark(places: readonly MarkPlace[], read: boolean, segmentMs: number): Operation {
  const groups = new Map<string, (Operation & { kind: 'mark' })['groups'][number]>()
  for (const { topicId, no, floor, follow, publishedAt } of places) {
    const key = `${topicId}:${segmentOf(no)}`
    const expiresAt = publishedAt + segmentMs
    const group = groups.get(key)
    if (group) {
      group.numbers.push(no)
      group.expiresAt = Math.max(group.expiresAt, expiresAt)
    } else {
      const start = { follow: follow?.id ?? 0, start: follow?.start ?? 0 }
      groups.set(key, { topicId, ...start, floor, expiresAt, numbers: [no] })
    }
  }
  return { kind: 'mark', id: randomUUID(), read, groups: [...groups.values()] }
}
