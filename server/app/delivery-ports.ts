// What delivery needs from the world: the consumer group with its schedule and dead letters (Redis), what is finished
// and what operators did (Postgres), and the places that handlers write to.
import type { DeadClass, FailureClass } from '#server/domain/delivery/failure.ts'
import type { HandlerName, Place } from '#server/domain/delivery/handlers.ts'
import type { SeqRange } from '#server/domain/delivery/ranges.ts'

/** An event of the log on its way to the handlers. */
export type DeliveryEntry = Place & {
  /** Its stream id, and the epoch of that stream; null id: it came from Postgres or from a dead letter. */
  id: string | null
  epoch: string
  kind: 'activity' | 'update'
  /** The event as JSON text. */
  data: string
  /** The log got it a second time: what is already finished must be looked up. */
  again: boolean
}

/** What is remembered of a piece of work between tries. */
export type Attempts = {
  attempts: number
  type: FailureClass | null
  error: string | null
  stack: string | null
  firstAt: number | null
  lastAt: number | null
  held: boolean
  replays: number
}

/** A piece of work whose time has come. `token` proves that it is ours until the lease ends. */
export type DueWork = { entry: DeliveryEntry; handler: HandlerName; past: Attempts; token: string; adopted: boolean }

/** What became of one handler's part of an entry. `token` null: it was the first try, straight from the group. */
export type Settlement = { entry: DeliveryEntry; handler: HandlerName; token: string | null } & (
  | { do: 'done' }
  | { do: 'schedule'; waitMs: number; past: Attempts }
  | { do: 'dead'; class: DeadClass; past: Attempts }
)

export type GroupState = {
  pending: number
  lag: number | null
  oldestPendingMs: number | null
  consumers: { name: string; pending: number; idleMs: number }[]
  /** Pending entries younger than each of AGE_BOUNDS_MS, and one more for the older ones. */
  ages: number[]
  agesComplete: boolean
}

export type ScheduledWork = Place & {
  handler: HandlerName
  inMs: number
  attempts: number
  type: FailureClass | null
  held: boolean
}

export type ScheduleState = {
  sizes: Record<HandlerName, number>
  next: ScheduledWork[]
  /** Tries that are due in each SCHEDULE_STEP_MS from now on, those overdue in the first. */
  coming: number[]
}
export const SCHEDULE_STEP_MS = 2_000
export const SCHEDULE_STEPS = 30

export type DeliveryQueue = {
  /** Makes the group if it is missing, from the log's beginning. */
  ensureGroup: () => Promise<void>
  /** New entries, beats left out and acknowledged. Waits up to `blockMs`; throws NoGroup when the group is gone. */
  read: (count: number, blockMs: number) => Promise<DeliveryEntry[]>
  ack: (ids: string[]) => Promise<void>
  /** All of it at once; returns how many could not be moved because the dead letters are full. */
  settle: (settlements: Settlement[]) => Promise<{ refused: number }>
  /** Takes due work for `leaseMs`. */
  take: (handler: HandlerName, count: number, leaseMs: number) => Promise<DueWork[]>
  /** Schedules pending entries that nobody works on and nobody has scheduled; returns how many, and how many were lost. */
  adopt: (idleMs: number, handlers: readonly HandlerName[], count: number) => Promise<{ adopted: number; lost: number }>
  /** Schedules what Postgres owes and Redis has nowhere; returns how many that was. */
  owe: (work: { handler: HandlerName; entry: DeliveryEntry; at: string | null }[]) => Promise<number>
  removeIdleConsumers: (idleMs: number) => Promise<number>
  /** Keeps what is younger, unread or pending; past `maxEntries` the oldest become dead letters first. */
  trim: (options: {
    olderThanMs: number
    maxEntries: number
    handlers: readonly HandlerName[]
  }) => Promise<{ removed: number; died: number }>
  scheduleSize: () => Promise<number>
  group: () => Promise<GroupState>
  schedule: (next: number) => Promise<ScheduleState>
  memory: () => Promise<{ used: number; max: number; families: Record<string, number> }>
  close: () => void
}

/** Upper ends of the classes in which pending entries are counted by age. */
export const AGE_BOUNDS_MS = [1_000, 10_000, 60_000, 300_000, 3_600_000] as const

export type DeadLetter = Place & {
  id: string
  handler: HandlerName
  stream: string
  entryId: string | null
  epoch: string
  kind: 'activity' | 'update'
  data: string
  group: string
  class: DeadClass
  error: string | null
  stack: string | null
  attempts: number
  firstAt: number | null
  diedAt: number
  replays: number
  traceId: string | null
}

export type DeadFilter = {
  handler?: HandlerName | undefined
  class?: DeadClass | undefined
  olderThanMs?: number | undefined
}

/** What happened, or would, to one dead letter. `guarded`: it came back too often. */
export type DeadOutcome = 'replayed' | 'discarded' | 'gone' | 'guarded'

export type DeadLetters = {
  depth: () => Promise<number>
  get: (id: string) => Promise<DeadLetter | null>
  /** Newest first; `before` is the id of the last one seen. */
  list: (filter: DeadFilter, before: string | null, limit: number) => Promise<{ letters: DeadLetter[]; more: boolean }>
  replay: (ids: string[], options: { maxReplays: number }) => Promise<DeadOutcome[]>
  discard: (ids: string[]) => Promise<DeadOutcome[]>
}

export type DeliveryProgress = {
  /** From now on these handlers run and no others; a new one begins at the newest events. */
  enable: (handlers: readonly HandlerName[]) => Promise<void>
  record: (done: { handler: HandlerName; range: SeqRange }[]) => Promise<void>
  /** Of these places, which handlers have finished which; keys by placeKey. */
  finished: (places: Place[]) => Promise<Map<string, Set<HandlerName>>>
  /** Stored before a moment, in the log and not finished, with the stream id last known; by place, after a place. */
  owed: (
    handler: HandlerName,
    page: { before: Date; after: Place | null; limit: number },
  ) => Promise<{ entry: DeliveryEntry; at: string | null }[]>
}

export type ActionRecord = {
  at: string
  action: 'replay' | 'discard'
  actor: string
  reason: string
  handler: string
  topicId: number
  seq: number
  deadId: string
  outcome: string | null
}

export type ActionJournal = {
  begin: (action: 'replay' | 'discard', actor: string, reason: string, letters: DeadLetter[]) => Promise<number[]>
  end: (ids: number[], outcomes: DeadOutcome[]) => Promise<void>
  recent: (limit: number) => Promise<ActionRecord[]>
}

export type MentionNotices = {
  /** Notices for people who may see the topic now; once per person and activity. */
  add: (mentions: { activityId: number; topicId: number; handle: string }[]) => Promise<void>
}

export type WebhookTarget = { url: string; secret: string }
export type WebhookTargets = { of: (topicIds: number[]) => Promise<Map<number, WebhookTarget[]>> }

/** What each process says of itself now and then. */
export type ProcessNote = {
  name: string
  at: number
  pid: number
  host: string
  connections: number
  delivered: Record<HandlerName, number>
  failed: number
  breakers: Record<HandlerName, { phase: 'off' | 'closed' | 'open' | 'probing'; forMs: number | null }>
}
export type ProcessBoard = {
  note: (note: ProcessNote) => Promise<void>
  leave: (name: string) => Promise<void>
  all: (youngerThanMs: number) => Promise<ProcessNote[]>
}
