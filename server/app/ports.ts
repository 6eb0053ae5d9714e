// What the verbs of the feed need from the world, named by its user: activities, topics, conversation, people, keys. Read state,
// the log and delivery have files of their own beside this. Adapters in server/db and server/redis implement them.
import type { Follow } from '#server/domain/read/unread.ts'
import type { Activity, Actor, PublishInput } from '#shared/activity.ts'
import type { ActivityChange, Words } from '#shared/activity-change.ts'
import type { KeyKind, KeyView } from '#shared/api-key.ts'
import type { FeedFilter } from '#shared/feed.ts'
import type { TopicChange } from '#shared/live-events.ts'
import type { Notice } from '#shared/notice.ts'
import type { Me, Person } from '#shared/person.ts'
import type { RequestEntry } from '#shared/request-log.ts'
import type { Comment, Said, Talk, TalkChange } from '#shared/talk.ts'
import type { CreateTopicInput, MemberRole, MemberView, TopicView, Visibility } from '#shared/topic.ts'
import type { MarkPlace, NumberRange } from './read-ports.ts'

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
  bounds: (topicId: number) => Promise<{ seq: number; no: number; floor: number }>
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

export type EditOutcome =
  | { outcome: 'changed'; topicId: number; seq: number; change: ActivityChange }
  | { outcome: 'unchanged'; change: ActivityChange }
  | { outcome: 'hidden' | 'denied' }

/** Changes to published activities, by their author or an owner of the topic. */
export type ActivityChanges = {
  /** `mentions`: the handles written in the summary; the store keeps those who may see the topic. */
  rewrite: (actor: string, activityId: number, words: { summary: string; mentions: string[] }) => Promise<EditOutcome>
  remove: (actor: string, activityId: number) => Promise<EditOutcome>
}

export type NewComment = {
  activityId: number
  parentId: number | null
  text: string
  mentions: string[]
  key: string | null
}

/** What of an activity may have changed since somebody saw it. `words` null: it was never edited. */
export type Renewal = { talk: Talk; words: Words | null }

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
  talks: (viewer: string, activityIds: number[]) => Promise<Map<number, Renewal>>
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

/** What tools asked of us lately, by the owner of their keys. */
export type RequestLog = {
  note: (userId: string, entry: RequestEntry) => Promise<void>
  recent: (userId: string) => Promise<RequestEntry[]>
}

export type CanaryStore = {
  /** Makes the topic when it is missing; its id. */
  ensure: (name: string) => Promise<number>
  /** Lets all but the newest go with the next clean-up. */
  keepNewest: (topicId: number, count: number) => Promise<void>
}
