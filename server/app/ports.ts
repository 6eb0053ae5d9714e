// What the verbs need from the world, named by its user. Adapters in server/db and server/redis implement these.
import type { Activity, Actor, PublishInput } from '#shared/activity.ts'
import type { FeedFilter, FeedItem } from '#shared/feed.ts'
import type { LogEvent, ReadEvent, TopicChange, UnreadCounts } from '#shared/live-events.ts'
import type { Me, Person } from '#shared/person.ts'
import type { Position } from '#shared/position.ts'
import type { CreateTopicInput, MemberRole, MemberView, TopicView, Visibility } from '#shared/topic.ts'

/** The part of a topic that its activities show. */
export type TopicRef = { id: number; name: string; visibility: Visibility }

export type Publication = {
  /** By name; the store finds out whether there is such a topic for the actor. */
  topic: string
  actor: Actor
  source: string
  /** `mentions`: the handles written in the summary; the store keeps those who may see the topic. */
  input: Omit<PublishInput, 'topic' | 'idempotencyKey'> & { mentions: string[] }
  /** Null without an idempotency key. The scope keeps one person's keys apart from another's. */
  idempotency: { scope: string; key: string; bodyHash: string } | null
}

export type PublishOutcome =
  | { outcome: 'fresh'; activity: Activity }
  | { outcome: 'replay'; activityId: number }
  | { outcome: 'reused' | 'hidden' | 'denied' }

export type ActivityStore = {
  /** All in one transaction; outcomes in the order of the publications. */
  publishBatch: (batch: Publication[]) => Promise<PublishOutcome[]>
  /** Null when there is no such activity for this viewer. */
  get: (viewer: string, id: number) => Promise<FeedItem | null>
  page: (query: PageQuery) => Promise<FeedItem[]>
  /** Which of these the viewer may see, with their place; unknown ids are left out. */
  places: (viewer: string, ids: number[]) => Promise<{ id: number; topicId: number; no: number }[]>
}

export type PageQuery = {
  viewer: string
  /** Only items with a smaller id. */
  before: number | null
  limit: number
  filter: FeedFilter
  /** One topic that the viewer may see, or all that they follow. */
  topicId: number | null
  verb: string | null
}

export type TopicStore = {
  /** By name, only if the viewer may see it. */
  find: (viewer: string, name: string) => Promise<TopicRef | null>
  view: (viewer: string, name: string) => Promise<TopicView | null>
  list: (viewer: string) => Promise<TopicView[]>
  members: (topicId: number) => Promise<MemberView[]>
  /** Null when the name is taken. */
  create: (owner: Person, input: CreateTopicInput) => Promise<TopicRef | null>
  change: (topicId: number, actor: string, change: TopicEdit) => Promise<ChangeOutcome>
  /** Returns the new follows version. Following sets the read state so that at most the last 20 are unread. */
  follow: (viewer: string, topicId: number) => Promise<number>
  unfollow: (viewer: string, topicId: number) => Promise<number>
  mute: (viewer: string, topicId: number, muted: boolean) => Promise<number | null>
  /** The topics whose events a viewer gets live: followed and visible. */
  followed: (viewer: string) => Promise<Followed>
  /** Of these people, the version of what they follow. */
  followsVersions: (people: string[]) => Promise<Map<string, number>>
  /** Of these people, who may see the topic now. */
  readers: (topicId: number, people: string[]) => Promise<string[]>
}

export type Followed = { version: number; topics: FollowedTopic[] }
export type FollowedTopic = { id: number; seq: number; no: number; muted: boolean }

export type TopicEdit =
  | { kind: 'member'; person: Person; state: MemberRole | 'removed' }
  | { kind: 'settings'; description?: string; visibility?: Visibility; posting?: 'everyone' | 'owners' }

export type ChangeOutcome =
  | { outcome: 'changed'; seq: number; change: TopicChange }
  | { outcome: 'unchanged' }
  | { outcome: 'not-owner' | 'last-owner' | 'hidden' }

export type PeopleStore = {
  byHandle: (handle: string) => Promise<Person | null>
  complete: (query: { viewer: string; prefix: string; topicId: number | null; limit: number }) => Promise<Person[]>
  rename: (id: string, name: string) => Promise<Me>
}

/** Numbers of one topic, both ends included. */
export type NumberRange = { topicId: number; from: number; to: number }

export type ReadStore = {
  mark: (viewer: string, ranges: NumberRange[], read: boolean) => Promise<{ version: number }>
  /** Marks everything up to the given numbers; returns what was added, for undo, and how many were unread of it. */
  markUpTo: (
    viewer: string,
    upTo: { topicId: number; no: number }[],
  ) => Promise<{ version: number; added: NumberRange[]; marked: number }>
  counts: (viewer: string) => Promise<UnreadCounts>
  version: (viewer: string) => Promise<number>
}

/** An event with its place in its topic, as the log stores it. */
export type OutboxEvent = { topicId: number; seq: number; log: LogEvent }

export type Outbox = {
  /** Events not yet known to be in the log, older than `ageMs`, by topic and seq. */
  pending: (options: { ageMs: number; limit: number }) => Promise<OutboxEvent[]>
  /** Events of topics after these places, by topic and seq, as far as they are kept; `limit` is for all together. */
  after: (places: { topicId: number; seq: number }[], limit: number) => Promise<OutboxEvent[]>
  markLogged: (logged: LoggedAt[]) => Promise<void>
  /** Heads of all topics that have events within the outbox's retention. */
  heads: () => Promise<Map<number, number>>
  prune: (olderThan: Date, limit: number) => Promise<number>
  /** What is stored and not yet known to be in the log. */
  lag: () => Promise<{ waiting: number; oldestMs: number | null }>
  /** What the viewer's topics got after a position, oldest first; null when there are more than `limit`. */
  missed: (viewer: string, after: Position, until: Position | null, limit: number) => Promise<MissedEvent[] | null>
}

/** `id` null: it was in the log already, and where is not known. */
export type LoggedAt = { topicId: number; seq: number; id: { ms: number; n: number } | null }
export type MissedEvent = { position: { ms: number; n: number } | null; event: OutboxEvent }

/** What happened to one event: in the log now, there before, or refused because an earlier one is missing. */
export type AppendResult =
  | { status: 'appended'; id: string }
  | { status: 'known' }
  | { status: 'gap'; head: number | null }

export type LogEntry = {
  position: Position
  kind: 'activity' | 'update' | 'beat'
  topicId: number
  seq: number
  /** The event as JSON text, ready to be framed. */
  data: string
}

export type LogInput = {
  topicId: number
  seq: number
  /** The seq before the oldest event that still exists; used when the log has lost the topic's head. */
  base: number | null
  /** The log may have had it before. */
  again: boolean
  kind: 'activity' | 'update'
  data: string
}

export type ActivityLog = {
  append: (events: LogInput[]) => Promise<AppendResult[]>
  beat: (intervalMs: number) => Promise<void>
  heads: () => Promise<Map<number, number>>
  /** Throws everything away and starts a new epoch: the log contradicts Postgres. */
  restart: () => Promise<void>
  /** The newest entries, oldest first, up to a number of bytes, and the floor below which nothing is kept. */
  recent: (maxBytes: number) => Promise<{ epoch: string; entries: LogEntry[]; complete: boolean; end: Position | null }>
  /** Follows the log from a position; ends when `signal` aborts, throws when the connection fails. */
  follow: (from: Position | null, signal: AbortSignal, onEntries: (entries: LogEntry[]) => void) => Promise<void>
}

/** A person's own events, carried between processes. Losing one is harmless: the current state comes on connect. */
export type PersonalEvent =
  | { type: 'follows'; userId: string }
  | { type: 'reads'; userId: string; read: ReadEvent; counts: UnreadCounts }
  | { type: 'signed-out'; userId: string; sessionId: string }

export type PersonalBus = {
  send: (event: PersonalEvent) => Promise<void>
  /** `onInterrupted`: listening was interrupted and goes on now; events may have been missed. */
  listen: (onEvent: (event: PersonalEvent) => void, onInterrupted: () => void) => Promise<void>
}

/** Of these sessions, those that are over. */
export type SessionStore = { ended: (ids: string[]) => Promise<Set<string>> }

/** Which people hold a live connection, over all processes. What is not noted again for a while is taken for gone. */
export type Presence = {
  note: (connections: Iterable<{ id: string; userId: string }>) => Promise<void>
  forget: (connection: { id: string; userId: string }) => Promise<void>
  isLive: (userId: string) => Promise<boolean>
}

/** Small things kept for a short time, such as what an undo needs. */
export type ShortTermStore = {
  put: (key: string, value: string, ttlMs: number) => Promise<void>
  /** Reads and removes, so that it is used once. */
  take: (key: string) => Promise<string | null>
}
