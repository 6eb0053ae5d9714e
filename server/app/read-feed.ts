// Pages of the feed, single activities, and what came after a position (the poll).
import { parseCursor, printCursor } from '#server/domain/feed/cursor.ts'
import type { Range } from '#server/domain/read/segments.ts'
import { newestOf, sizeOf } from '#server/domain/read/unread.ts'
import type { Activity } from '#shared/activity.ts'
import type { ActivityChange } from '#shared/activity-change.ts'
import { AppError, noSuchActivity, noSuchTopic } from '#shared/errors.ts'
import type { FeedInput, FeedItem, FeedPage } from '#shared/feed.ts'
import type { UpdateEvent } from '#shared/live-events.ts'
import { type Position, parsePosition, printPosition } from '#shared/position.ts'
import type { Err } from '#shared/result.ts'
import { NO_TALK } from '#shared/talk.ts'
import type { OutboxEvent } from './log-ports.ts'
import type { ActivityStore, Followed, PageFilter, SpokenOf, TopicStore } from './ports.ts'
import type { NumberRange, ReadStore, ReadTopic } from './read-ports.ts'

/** The process's place in the log, and what a person's topics got after one. */
export type LogView = {
  position: () => Position | null
  /** Null when the position is too old, of another log, or too far behind. */
  missed: (viewer: string, after: Position) => Promise<{ events: () => OutboxEvent[]; position: Position } | null>
}

type Deps = {
  activities: ActivityStore
  topics: TopicStore
  reads: Pick<ReadStore, 'counts' | 'flags' | 'unread'>
  log: LogView
}

export type ReadFeed = ReturnType<typeof createReadFeed>

const refuse = ({ code, message, field }: Err) => new AppError(code, message, field === undefined ? {} : { field })

export function createReadFeed({ activities, topics, reads, log }: Deps) {
  async function page(viewer: string, input: FeedInput): Promise<FeedPage> {
    if (input.since !== undefined) return since(viewer, input, input.since)
    const before = input.cursor ? parseCursor(input.cursor) : null
    if (before && !before.ok) throw refuse(before)
    // Before the snapshot: what is published in between is then seen twice, never missed.
    const position = log.position()
    const topic = input.topic === undefined ? null : await topics.find(viewer, input.topic)
    if (input.topic !== undefined && !topic) throw noSuchTopic()
    const followed = await topics.followed(viewer)
    const place = { before: before?.ok ? before.value : null, limit: input.limit, verb: input.verb ?? null }
    const filter: PageFilter =
      input.filter === 'unread'
        ? {
            kind: 'unread',
            among: await unreadNumbers(viewer, topic ? [await topicOf(topic.id, followed)] : followed.topics, place),
          }
        : { kind: input.filter }
    const found = await activities.page({ viewer, ...place, filter, topicId: topic?.id ?? null })
    const items = await withFlags(viewer, found, followed)
    // Of the numbers that were chosen some may have been deleted since: the page is short, and not the last one.
    const more = filter.kind === 'unread' && items.length > 0 && sizeOf(filter.among.map(toRange)) >= input.limit
    return {
      items,
      nextCursor: items.length === input.limit || more ? printCursor(items.at(-1)!.id) : null,
      heads: Object.fromEntries(followed.topics.map(({ id, seq }) => [id, seq])),
      liveCursor: position && printPosition(position),
      followsVersion: followed.version,
    }
  }

  async function topicOf(id: number, followed: Followed): Promise<ReadTopic> {
    return followed.topics.find((topic) => topic.id === id) ?? { id, ...(await topics.bounds(id)), follow: null }
  }

  /** Numbers that a page of unread activities is taken from: of each topic as many as the page could hold. */
  async function unreadNumbers(
    viewer: string,
    among: ReadTopic[],
    { before, limit, verb }: { before: number | null; limit: number; verb: string | null },
  ): Promise<NumberRange[]> {
    const unread = (await reads.unread(viewer, among)).filter(({ ranges }) => ranges.length > 0)
    const ids = unread.map(({ topicId }) => topicId)
    const reached = before === null ? null : await activities.numbersBefore(ids, before)
    return unread.flatMap(({ topicId, ranges }) => {
      const below = reached ? (reached.get(topicId) ?? 0) : Number.MAX_SAFE_INTEGER
      // Which of them have the verb is not known here.
      const newest = newestOf(ranges, below, verb === null ? limit : Number.MAX_SAFE_INTEGER)
      return newest.map(([from, to]) => ({ topicId, from, to }))
    })
  }

  async function withFlags(viewer: string, found: SpokenOf[], { topics: followed }: Followed): Promise<FeedItem[]> {
    const byId = new Map(followed.map((topic) => [topic.id, topic]))
    const places = found.map(({ topic, no }) => {
      const known = byId.get(topic.id)
      return { topicId: topic.id, no, floor: known?.floor ?? 0, follow: known?.follow ?? null }
    })
    const flags = await reads.flags(viewer, places)
    return found.map((activity, i) => ({ ...activity, read: isOwn(activity, viewer) || flags[i]! }))
  }

  async function since(viewer: string, input: FeedInput, text: string): Promise<FeedPage> {
    const position = parsePosition(text)
    if (!position.ok) throw refuse(position)
    const missed = await log.missed(viewer, position.value)
    const followed = await topics.followed(viewer)
    const base = {
      nextCursor: null,
      heads: Object.fromEntries(followed.topics.map(({ id, seq }) => [id, seq])),
      followsVersion: followed.version,
      unread: await reads.counts(viewer),
    }
    if (!missed) {
      const now = log.position()
      return { ...base, items: [], updates: [], reset: true, liveCursor: now && printPosition(now) }
    }
    const items: FeedItem[] = []
    const updates: UpdateEvent[] = []
    const events = missed.events()
    const gone = goneIn(events)
    for (const { log: entry } of events) {
      const change = entry.kind === 'activity' ? gone.get(entry.event.activity.id) : undefined
      if (entry.kind === 'update') updates.push(entry.event)
      // Nobody is given what was deleted since; its place is told all the same.
      else if (change) updates.push({ topic: entry.event.topic, seq: entry.event.seq, change })
      else if (!input.topic || entry.event.activity.topic.name === input.topic) {
        const { activity } = entry.event
        // What was said about it since is among the updates.
        items.push({ ...activity, read: isOwn(activity, viewer), talk: NO_TALK })
      }
    }
    return { ...base, items: items.reverse(), updates, liveCursor: printPosition(missed.position) }
  }

  return {
    page,
    async get(viewer: string, id: number): Promise<FeedItem> {
      const found = await activities.get(viewer, id)
      if (!found) throw noSuchActivity()
      const [item] = await withFlags(viewer, [found], await topics.followed(viewer))
      return item!
    },
  }
}

function goneIn(events: readonly OutboxEvent[]): Map<number, ActivityChange> {
  const gone = new Map<number, ActivityChange>()
  for (const { log } of events) {
    const change = log.kind === 'update' && log.event.change
    if (change && change.kind === 'activity' && change.words === null) gone.set(change.activity, change)
  }
  return gone
}

const toRange = ({ from, to }: NumberRange): Range => [from, to]

const isOwn = ({ actor }: Activity, viewer: string): boolean => actor.kind === 'person' && actor.id === viewer
