// Sizes, times and limits of the concurrency manager, with their reasons.

/** Hash routing spreads keys over so many; they are what is moved between partitions. */
export const VIRTUAL_PARTITIONS = 64
/** The platform lets one invocation wait for six outgoing connections; a seventh slot would only queue behind them. */
export const MAX_SLOTS_PER_PARTITION = 6
export const MAX_JOBS_PER_REQUEST = 1_000
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Several of them fit a message of the queue (128 KB). */
export const MAX_PAYLOAD_BYTES = 64 * 1024
/** The same idempotency key within this time is the same job. */
export const IDEMPOTENCY_MS = 24 * 3_600_000
/** A lease outlives its request by this much, so that the answer to a request that is aborted in time is never late. */
export const LEASE_GRACE_MS = 2_000
/** One step of priority is worth so much waiting: the least urgent job goes before the most urgent after 90 s more of it. */
export const AGEING_MS = 10_000
/** Each job taken puts its lane so far behind the others. */
export const TURN_MS = 1_000
/** A lane that was served alone for long owes the others no more than this. */
export const MAX_DEBT_MS = 20_000
/** Dead letters of one partition; beyond it the oldest goes, and is counted. */
export const MAX_DEAD_LETTERS = 1_000
/** While the egress is down: waits grow from the first to the second. */
export const EGRESS_REST_MS = 1_000
export const EGRESS_REST_MAX_MS = 30_000
/** An error that the egress reports is kept up to this length. */
export const MAX_ERROR_CHARS = 500
/** Jobs handed from partition to partition in one call. */
export const HANDOVER_CHUNK = 200
/** The router looks at the partitions again after this. */
export const STATUS_MS = 5_000
/** Between two moves that nobody asked for. */
export const REBALANCE_REST_MS = 60_000
/** Ratios of the fullest partition to the others from which one is warm, and hot. */
export const WARM_RATIO = 2
export const HOT_RATIO = 5
/** A queue of a few is not a hot spot. */
export const HOT_DEPTH = 20
