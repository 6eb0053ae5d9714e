// Pages of the feed, single activities, and what came after a position (the poll).
import { parseCursor, printCursor } from '#server/domain/feed/cursor.ts'
import { AppError, noSuchActivity, noSuchTopic } from '#shared/errors.ts'
import type { FeedInput, FeedItem, FeedPage } from '#shared/feed.ts'
import type { UpdateEvent } from '#shared/live-events.ts'
import { type Position, parsePosition, printPosition } from '#shared/position.ts'
import type { Err } from '#shared/result.ts'
import { NO_TALK } from '#shared/talk.ts'
import type { ActivityStore, OutboxEvent, ReadStore, TopicStore } from './ports.ts'

/** The process's place in the log, and what a person's topics got after one. */
export type LogView = {
  position: () => Position | null
  /** Null when the position is too old, of another log, or too far behind. */
  missed: (viewer: string, after: Position) => Promise<{ events: () => OutboxEvent[]; position: Position } | null>
}

type Deps = { activities: ActivityStore; topics: TopicStore; reads: Pick<ReadStore, 'counts'>; log: LogView }

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
    const items = await activities.page({
      viewer,
      before: before?.ok ? before.value : null,
      limit: input.limit,
      filter: input.filter,
      topicId: topic?.id ?? null,
      verb: input.verb ?? null,
    })
    return {
      items,
      nextCursor: items.length === input.limit ? printCursor(items.at(-1)!.id) : null,
      heads: Object.fromEntries(followed.topics.map(({ id, seq }) => [id, seq])),
      liveCursor: position && printPosition(position),
      followsVersion: followed.version,
    }
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
    for (const { log: entry } of missed.events()) {
      if (entry.kind === 'update') updates.push(entry.event)
      else if (!input.topic || entry.event.activity.topic.name === input.topic) {
        const { activity } = entry.event
        // What was said about it since is among the updates.
        const read = activity.actor.kind === 'person' && activity.actor.id === viewer
        items.push({ ...activity, read, talk: NO_TALK })
      }
    }
    return { ...base, items: items.reverse(), updates, liveCursor: printPosition(missed.position) }
  }

  return {
    page,
    async get(viewer: string, id: number): Promise<FeedItem> {
      const item = await activities.get(viewer, id)
      if (!item) throw noSuchActivity()
      return item
    },
  }
}
