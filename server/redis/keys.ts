// Every key name is built here. The log's keys share one slot, so that a script may touch them together on a cluster.

export const LOG_STREAM = '{activities}:stream'
/** Hash: topic id → newest seq in the log. */
export const LOG_HEADS = '{activities}:heads'
/** Random name of this log; a wiped Redis gets a new one. */
export const LOG_EPOCH = '{activities}:epoch'
/** Stream id below which entries have been trimmed. */
export const LOG_FLOOR = '{activities}:floor'
/** Held for most of an interval by the process that wrote the last beat. */
export const LOG_BEAT_TURN = '{activities}:beat-turn'

/** Consumer group of the log: work that must happen once. */
export const DELIVERY_GROUP = 'delivery'
/** Owns pending entries that are in the schedule, so that consumers which no longer exist can go. */
export const SCHEDULED_CONSUMER = 'scheduled'
/** Sorted set: place of an event by the moment (ms) of its next try; a hash beside it holds what is known of the work. */
export const retryKey = (handler: string) => `{activities}:retry:${handler}`
export const retryWorkKey = (handler: string) => `{activities}:retry-work:${handler}`
/** Stream of dead letters, and a hash: handler and place → id in it. */
export const DLQ_STREAM = '{activities}:dlq'
export const DLQ_INDEX = '{activities}:dlq-index'
/** Held by the process that sends a topic to the edge. */
export const edgeLeaseKey = (topicId: number) => `{activities}:edge-lease:${topicId}`
/** Hash: process → what it last said of itself. */
export const PROCESS_BOARD = '{activities}:processes'

export const PERSONAL_CHANNEL = 'people:events'

/** Sorted set: the person's live connections by the moment (ms) at which they are taken for gone. */
export const presenceKey = (userId: string) => `user:live:{${userId}}`

/** List: the last requests of the person's tools, newest first. */
export const requestLogKey = (userId: string) => `user:requests:{${userId}}`

/** A person's read state; its segments and the ids of recent operations are keys beside it, in the same slot. */
export const readsKey = (userId: string) => `user:reads:{${userId}}`
export const readsSegmentKey = (userId: string, topicId: number, index: number) =>
  `${readsKey(userId)}:${topicId}:${index}`

/** Sorted set: people by the moment (ms) at which their read state was changed and not yet saved in Postgres. */
export const READS_CHANGED = 'reads:changed'
