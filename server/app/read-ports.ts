// What read state needs from the world: the state in Redis, its durable copy in Postgres, and the facts that counts use.
import type { Operation, PersonReads, Stored } from '#server/domain/read/person-reads.ts'
import type { Range } from '#server/domain/read/segments.ts'
import type { Follow } from '#server/domain/read/unread.ts'
import type { UnreadCounts } from '#shared/live-events.ts'

/** Numbers of one topic, both ends included. */
export type NumberRange = { topicId: number; from: number; to: number }

/** A topic as read state needs it. `follow` null: the person looks at it without following. */
export type ReadTopic = { id: number; seq: number; no: number; floor: number; follow: Follow | null }
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

/** How far a topic goes. `deleted`: rising, above the floor; `deletedSeq`: of the newest deletion, 0 without one. */
export type TopicFact = { seq: number; no: number; floor: number; deleted: number[]; deletedSeq: number }

/** Of topics and people, what unread counts need besides what was read. */
export type FactStore = {
  /** All topics, or these. */
  topics: (ids: number[] | null) => Promise<Map<number, TopicFact>>
  /** Of topics whose window has begun to move. */
  floors: () => Promise<[topicId: number, floor: number][]>
  /** Numbers above the floors, rising: what the person wrote and where they were mentioned. */
  person: (viewer: string) => Promise<{
    handle: string
    own: [topicId: number, no: number][]
    mentions: [topicId: number, no: number][]
  }>
  /** Moves floors to where activities are younger than this; at most `limit` topics and numbers each. Returns how many moved. */
  raiseFloors: (before: Date, limit: number) => Promise<number>
}
