// Read state as the feed uses it: marks, flags, unread numbers and counts. What was read comes from wherever it is at the
// moment (read-access.ts), what is there to be read from read-world.ts; the answers are arithmetic on these two, so nothing
// is counted up or down and nothing drifts.
import { randomUUID } from 'node:crypto'
import type { Operation, PersonReads } from '#server/domain/read/person-reads.ts'
import { type Range, segmentOf, subtract } from '#server/domain/read/segments.ts'
import {
  countUnread,
  isRead,
  isSkipped,
  type Skipped,
  sizeOf,
  unreadRanges,
  viewOf,
} from '#server/domain/read/unread.ts'
import type { Clock } from '#shared/clock.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { FeedFacts } from './feed-facts.ts'
import type { Compared, ReadAccess } from './read-access.ts'
import type { MarkPlace, ReadStore, ReadTopic } from './read-ports.ts'
import type { ReadWorld, World } from './read-world.ts'

const UNDO_MS = 60_000

type Mark = Extract<Operation, { kind: 'mark' }>

const NONE: readonly number[] = []

type Deps = {
  access: ReadAccess
  world: ReadWorld
  facts: FeedFacts
  clock: Clock
  /** How long a segment is kept after its newest activity. */
  segmentMs: number
}

export function createReadState({ access, world, facts, clock, segmentMs }: Deps): ReadStore {
  /** What one state has unread and the other has not. */
  function difference({ topics, person }: World, more: PersonReads, less: PersonReads) {
    return topics.flatMap((topic) => {
      const skipped = { own: person.own.get(topic.id) ?? NONE, deleted: topic.deleted }
      return subtract(unreadOf(more, topic, skipped), unreadOf(less, topic, skipped)).map(([from, to]) => ({
        topicId: topic.id,
        from,
        to,
      }))
    })
  }

  /** A deleted number would hold up the watermark for ever: it is marked along with its neighbours. */
  const deletedAround = (topicId: number, segment: number): number[] =>
    facts.topics.get(topicId)?.deleted.filter((no) => segmentOf(no) === segment) ?? []

  return {
    async mark(viewer, places, read) {
      const operation = toMark(places, read, segmentMs)
      if (read)
        for (const { topicId, numbers } of operation.groups)
          numbers.push(...deletedAround(topicId, segmentOf(numbers[0]!)))
      return { version: await access.change(viewer, operation) }
    },

    async markUpTo(viewer, upTo) {
      const shown = new Map(upTo.map(({ topicId, no }) => [topicId, no]))
      // As stored: nobody is to be told that what they were shown does not exist yet.
      const { topics: followed } = await world.stored(viewer)
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
      const added = difference(await world.stored(viewer), before, after)
      return { version, undo: id, added, marked: sizeOf(added.map(({ from, to }): Range => [from, to])) }
    },

    async undo(viewer, undo) {
      const compared = await access.changeAndCompare(viewer, { kind: 'undo', id: randomUUID(), undo })
      if (!compared) return null
      return {
        version: compared.version,
        removed: difference(await world.stored(viewer), compared.after, compared.before),
      }
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
      const [reads, { own }, found] = await Promise.all([
        access.read(viewer),
        facts.of(viewer, asked),
        facts.ofTopics(asked),
      ])
      return asked.map((topic) => {
        const skipped = { own: own.get(topic.id) ?? NONE, deleted: found.get(topic.id)?.deleted ?? NONE }
        return { topicId: topic.id, ranges: unreadOf(reads, topic, skipped) }
      })
    },

    async counts(viewer) {
      const [around, reads] = await Promise.all([world.now(viewer), access.read(viewer)])
      return countsOf(reads, around)
    },

    version: (viewer) => access.version(viewer),
  }

  async function same(viewer: string): Promise<Compared> {
    const reads = await access.read(viewer)
    return { version: reads.version, before: reads, after: reads }
  }
}

const unreadOf = (reads: PersonReads, { id, floor, no, follow }: ReadTopic, skipped: Skipped): Range[] =>
  unreadRanges(viewOf(reads, id, follow), { floor, head: no }, skipped)

function countsOf(reads: PersonReads, { topics, person }: World): UnreadCounts {
  const counts: UnreadCounts = { total: 0, mentions: 0, topics: {}, heads: {}, deletions: {}, version: reads.version }
  for (const { id, floor, no: head, follow, muted, deleted, deletedSeq } of topics) {
    const view = viewOf(reads, id, follow)
    const skipped = { own: person.own.get(id) ?? NONE, deleted }
    const unread = countUnread(view, { floor, head }, skipped)
    counts.heads[id] = head
    if (deletedSeq > 0) counts.deletions[id] = deletedSeq
    if (unread === 0) continue
    counts.topics[id] = unread
    if (!muted) counts.total += unread
    for (const no of person.mentions.get(id) ?? NONE)
      if (no > floor && no <= head && !isSkipped(skipped, no) && !isRead(view, no)) counts.mentions += 1
  }
  return counts
}

/** In groups that lie in one segment each. */
function toMark(places: readonly MarkPlace[], read: boolean, segmentMs: number): Mark {
  const groups = new Map<string, Mark['groups'][number]>()
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
