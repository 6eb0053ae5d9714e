// What brings events to readers: the outbox in Postgres, the log in Redis, and what processes tell each other of people.
import type { LogEvent, ReadEvent, UnreadCounts } from '#shared/live-events.ts'
import type { Position } from '#shared/position.ts'

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
  /** Follows the log from a position, and says when there is nothing new; ends when `signal` aborts, throws when the connection fails. */
  follow: (from: Position | null, signal: AbortSignal, onEntries: (entries: LogEntry[]) => void) => Promise<void>
}

/** A person's own events, carried between processes. Losing one is harmless: the current state comes on connect. */
export type PersonalEvent =
  | { type: 'follows'; userId: string }
  | { type: 'reads'; userId: string; read: ReadEvent; counts: UnreadCounts }
  | { type: 'bell'; userId: string; unread: number }
  | { type: 'signed-out'; userId: string; sessionId: string }

/** `floors`: the windows of topics have moved. */
export type BusEvent = PersonalEvent | { type: 'floors' }

export type PersonalBus = {
  send: (event: BusEvent) => Promise<void>
  /** `onInterrupted`: listening was interrupted and goes on now; events may have been missed. */
  listen: (onEvent: (event: BusEvent) => void, onInterrupted: () => void) => Promise<void>
}

/** Of these sessions, those that are over. */
export type SessionStore = { ended: (ids: string[]) => Promise<Set<string>> }

/** Which people hold a live connection, over all processes. What is not noted again for a while is taken for gone. */
export type Presence = {
  note: (connections: Iterable<{ id: string; userId: string }>) => Promise<void>
  forget: (connection: { id: string; userId: string }) => Promise<void>
  isLive: (userId: string) => Promise<boolean>
}
