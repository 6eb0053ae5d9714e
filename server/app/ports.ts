// What the verbs need from the world, named by its user. Adapters in server/db and server/redis implement these.
import type { Operation, PersonReads, Stored } from '#server/domain/read/person-reads.ts'
import type { Range } from '#server/domain/read/segments.ts'
import type { Follow } from '#server/domain/read/unread.ts'
import type { Activity, Actor, PublishInput } from '#shared/activity.ts'
import type { KeyKind, KeyView } from '#shared/api-key.ts'
import type { FeedFilter } from '#shared/feed.ts'
import type { LogEvent, ReadEvent, TopicChange, UnreadCounts } from '#shared/live-events.ts'
import type { Notice } from '#shared/notice.ts'
import type { Me, Person } from '#shared/person.ts'
import type { Position } from '#shared/position.ts'
import type { Comment, Said, Talk, TalkChange } from '#shared/talk.ts'
import type { CreateTopicInput, MemberRole, MemberView, TopicView, Visibility } from '#shared/topic.ts'

/** The part of a topic that its activities show. */
export type TopicRef = { id: number; name: string; visibility: Visibility }

export type Publication = {
  /** By name; the store finds out whether there is such a topic for the actor. */
  topic: string
  actor: Actor
  /** The person whose right a tool borrows. */
  onBehalfOf?: string
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

/** An activity with what is said about it, as one person sees it. */
export type SpokenOf = Activity & { talk: Talk }

export type ActivityStore = {
  /** All in one transaction; outcomes in the order of the publications. */
  publishBatch: (batch: Publication[]) => Promise<PublishOutcome[]>
  /** The same, but when one is refused none is stored; the others then keep the outcome they would have had. */
  publishTogether: (batch: Publication[]) => Promise<PublishOutcome[]>
  /** By id, whoever asks: for those who published them. */
  published: (ids: number[]) => Promise<Map<number, Activity>>
  /** Null when there is no such activity for this viewer. */
  get: (viewer: string, id: number) => Promise<SpokenOf | null>
  page: (query: PageQuery) => Promise<SpokenOf[]>
  /** Per topic, the newest number among activities with a smaller id. */
  numbersBefore: (topicIds: number[], before: number) => Promise<Map<number, number>>
  /** Which of these the viewer may see, with their place; unknown ids are left out. */
  places: (viewer: string, ids: number[]) => Promise<(MarkPlace & { id: number })[]>
}

export type PageQuery = {
  viewer: string
  /** Only items with a smaller id. */
  before: number | null
  limit: number
  filter: PageFilter
  /** One topic that the viewer may see, or all that they follow. */
  topicId: number | null
  verb: string | null
}

/** For unread ones: the numbers to choose from. */
export type PageFilter = { kind: Exclude<FeedFilter, 'unread'> } | { kind: 'unread'; among: NumberRange[] }

export type SearchQuery = {
  viewer: string
  /** Lower-case letters and digits only; each must begin a word of the activity or of the name of who acted. */
  words: string[]
  topicId: number | null
  before: number | null
  limit: number
}

export type SearchStore = {
  /** Newest first, only what the viewer may see. */
  find: (query: SearchQuery) => Promise<Activity[]>
}

export type TopicStore = {
  /** How far a topic goes, for whoever may see it. */
  bounds: (topicId: number) => Promise<{ no: number; floor: number }>
  /** By name, only if the viewer may see it. */
  find: (viewer: string, name: string) => Promise<TopicRef | null>
  view: (viewer: string, name: string) => Promise<TopicView | null>
  list: (viewer: string) => Promise<TopicView[]>
  members: (topicId: number) => Promise<MemberView[]>
  /** Null when the name is taken. */
  create: (owner: Person, input: CreateTopicInput) => Promise<TopicRef | null>
  change: (topicId: number, actor: string, change: TopicEdit) => Promise<ChangeOutcome>
  /** Returns the new follows version. A follow begins where at most the last 20 are unread. */
  follow: (viewer: string, topicId: number) => Promise<number>
  /** `follow`: the one that ended, if there was one. */
  unfollow: (viewer: string, topicId: number) => Promise<{ version: number; follow: number | null }>
  mute: (viewer: string, topicId: number, muted: boolean) => Promise<number | null>
  /** The topics whose events a viewer gets live: followed and visible. */
  followed: (viewer: string) => Promise<Followed>
  /** Of these people, the version of what they follow. */
  followsVersions: (people: string[]) => Promise<Map<string, number>>
  /** Of these people, who may see the topic now. */
  readers: (topicId: number, people: string[]) => Promise<string[]>
}

export type Followed = { version: number; topics: FollowedTopic[] }
export type FollowedTopic = { id: number; seq: number; no: number; floor: number; muted: boolean; follow: Follow }

export type TopicEdit =
  | { kind: 'member'; person: Person; state: MemberRole | 'removed' }
  | { kind: 'settings'; description?: string; visibility?: Visibility; posting?: 'everyone' | 'owners' }

export type ChangeOutcome =
  | { outcome: 'changed'; seq: number; change: TopicChange }
  | { outcome: 'unchanged' }
  | { outcome: 'not-owner' | 'last-owner' | 'hidden' }

/** What came of a wish to say something. `seq`: the place of its event in the topic. */
export type TalkOutcome<T> =
  | { outcome: 'changed'; answer: T; topicId: number; seq: number; change: TalkChange }
  | { outcome: 'unchanged'; answer: T }
  | { outcome: 'hidden' | 'denied' | 'too-many' | 'reused' }

export type NewComment = {
  activityId: number
  parentId: number | null
  text: string
  mentions: string[]
  key: string | null
}

export type ConversationStore = {
  react: (viewer: string, activityId: number, emoji: string | null) => Promise<TalkOutcome<Talk>>
  add: (author: string, comment: NewComment) => Promise<TalkOutcome<Said>>
  /** `text` null deletes. */
  rewrite: (
    actor: string,
    commentId: number,
    words: { text: string; mentions: string[] } | null,
  ) => Promise<TalkOutcome<Said>>
  /** Of these activities, those that the viewer may see. */
  talks: (viewer: string, activityIds: number[]) => Promise<Map<number, Talk>>
  /** Whole threads, those begun last first; one more than `limit` of them when there are more. */
  threads: (activityId: number, before: number | null, limit: number) => Promise<Comment[]>
}

export type NoticeStore = {
  list: (viewer: string, before: number | null, limit: number) => Promise<Notice[]>
  unread: (viewer: string) => Promise<number>
  /** Returns how many were not read before. */
  markRead: (viewer: string, which: { activityId: number | null; upTo: number | null }) => Promise<number>
}

export type PeopleStore = {
  byHandle: (handle: string) => Promise<Person | null>
  complete: (query: { viewer: string; prefix: string; topicId: number | null; limit: number }) => Promise<Person[]>
  rename: (id: string, name: string) => Promise<Me>
}

export type StoredKey = {
  id: number
  ownerId: string
  source: string
  prefix: string
  secretHash: string | null
  /** Names of the topics it is for. */
  topics: string[]
  lastUsedAt: Date | null
}

export type KeyStore = {
  /** Null when the owner has `max` already. */
  create: (key: NewKey, max: number) => Promise<KeyView | null>
  /** Without those that were revoked, newest first. */
  list: (owner: string) => Promise<KeyView[]>
  /** False when the owner has no such key. */
  revoke: (owner: string, id: number, at: Date) => Promise<boolean>
  /** Null when there is none or it was revoked. */
  find: (kind: KeyKind, prefix: string) => Promise<StoredKey | null>
  used: (id: number, at: Date) => Promise<void>
}

export type NewKey = {
  kind: KeyKind
  ownerId: string
  name: string
  source: string
  prefix: string
  secretHash: string | null
  topicIds: number[]
  at: Date
}

/** Numbers of one topic, both ends included. */
export type NumberRange = { topicId: number; from: number; to: number }

/** A topic as read state needs it. `follow` null: the person looks at it without following. */
export type ReadTopic = { id: number; no: number; floor: number; follow: Follow | null }
export type ReadPlace = { topicId: number; no: number; floor: number; follow: Follow | null }
export type MarkPlace = ReadPlace & { publishedAt: number }

export type ReadStore = {
  mark: (viewer: string, places: MarkPlace[], read: boolean) => Promise<{ version: number }>
  /** Marks everything up to the given numbers in followed topics; `added` is what was unread of it, `marked` how many. */
  markUpTo: (
    viewer: string,
    upTo: { topicId: number; no: number }[],
  ) => Promise<{ version: number; undo: string; added: NumberRange[]; marked: number }>
  /** Takes a `markUpTo` back; null when it is too late. `removed` is what is unread again. */
  undo: (viewer: string, undo: string) => Promise<{ version: number; removed: NumberRange[] } | null>
  /** The person no longer follows the topic. */
  forget: (viewer: string, topicId: number, follow: number) => Promise<void>
  /** Whether each of these was read; what the viewer wrote is not looked at. */
  flags: (viewer: string, places: ReadPlace[]) => Promise<boolean[]>
  /** The unread numbers of these topics as ranges, rising. */
  unread: (viewer: string, topics: ReadTopic[]) => Promise<{ topicId: number; ranges: Range[] }[]>
  counts: (viewer: string) => Promise<UnreadCounts>
  version: (viewer: string) => Promise<number>
}

/**
 * Read state in Redis. Null: it is not there, or Redis was restarted since it was last compared with Postgres. Throws when
 * Redis is away.
 */
export type LiveReads = {
  load: (viewer: string) => Promise<PersonReads | null>
  /** As `load`, compared or not. */
  peek: (viewer: string) => Promise<PersonReads | null>
  /** In order; a version of 0 means that the operation changed nothing. */
  apply: (viewer: string, operations: (Pick<Stored, 'operation'> & Partial<Stored>)[]) => Promise<number[] | null>
  applyAndCompare: (
    viewer: string,
    operation: Operation,
  ) => Promise<{ version: number; before: PersonReads; after: PersonReads } | null>
  flags: (viewer: string, places: ReadPlace[]) => Promise<boolean[] | null>
  version: (viewer: string) => Promise<number | null>
  /** Unless a state is there. `expiresAt` of a segment, in ms. */
  restore: (
    viewer: string,
    reads: PersonReads,
    expiresAt: (topicId: number, segment: number) => number,
  ) => Promise<void>
  /** The state is not older than what Postgres has. */
  noteCompared: (viewer: string) => Promise<void>
  discard: (viewer: string) => Promise<void>
  /** People whose state was changed and not yet noted as saved, by anybody; the longest waiting first. */
  changedBefore: (ms: number, limit: number) => Promise<{ viewer: string; changedAt: number }[]>
  noteSaved: (people: { viewer: string; changedAt: number }[]) => Promise<void>
}

/** The durable copy of read state, and operations that wait while Redis is away. */
export type KeptReads = {
  load: (viewer: string) => Promise<{ reads: PersonReads; waiting: Stored[] }>
  /** The same while nobody else restores or changes it; `raise` gives it a generation that fences late writers. */
  hold: <T>(viewer: string, work: (held: HeldReads) => Promise<T>) => Promise<T>
  /** Replaces states that are older. What they contain no longer waits. */
  save: (states: { viewer: string; reads: PersonReads }[]) => Promise<void>
  /** Stores an operation after all others, once; its version is above all that were told. */
  keep: (viewer: string, operation: Operation) => Promise<{ version: number }>
  /** People who have operations waiting. */
  waiting: (limit: number) => Promise<string[]>
}

export type HeldReads = {
  reads: PersonReads
  waiting: Stored[]
  raise: () => Promise<PersonReads>
  /** When the newest activity of a segment was published, in ms. */
  newestIn: (segments: { topicId: number; index: number }[]) => Promise<number[]>
}

/** Of topics and people, what unread counts need besides what was read. */
export type FactStore = {
  heads: () => Promise<{ topicId: number; no: number }[]>
  /** Numbers above the floors, rising: what the person wrote and where they were mentioned. */
  person: (viewer: string) => Promise<{
    handle: string
    own: [topicId: number, no: number][]
    mentions: [topicId: number, no: number][]
  }>
  /** Moves floors to where activities are younger than this; at most `limit` topics and numbers each. Returns how many moved. */
  raiseFloors: (before: Date, limit: number) => Promise<number>
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
  | { type: 'bell'; userId: string; unread: number }
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
