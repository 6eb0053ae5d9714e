// Sizes, times and limits of the subscription worker, with their reasons.

/** A browser that is closed for half an hour starts a new session when it comes back. */
export const DEFAULT_SESSION_TTL_SECONDS = 1_800
/** Writes under way at once for one publish; more would only wait for each other. */
export const FANOUT_BATCH_SIZE = 50
/** Up to so many listeners the publisher waits for them: about a quarter of a second. */
export const FANOUT_QUEUE_THRESHOLD = 200
/** Sessions in one message of the queue: a retry repeats at most so many writes. */
export const FANOUT_QUEUE_BATCH_SIZE = 50
/** Without a queue, the most that a publisher waits for; beyond it, listeners are caught up by alarm. */
export const MAX_INLINE_FANOUT = 1_000
/** A session that does not answer for so long has failed for now. */
export const FANOUT_RPC_TIMEOUT_MS = 10_000
export const CIRCUIT_BREAKER_FAILURE_THRESHOLD = 5
export const CIRCUIT_BREAKER_RECOVERY_MS = 60_000

/** The platform's limits for one `sendBatch`. */
export const QUEUE_MAX_MESSAGES = 100
export const QUEUE_MAX_BYTES = 256_000
/** What the platform adds to each message. */
export const QUEUE_MESSAGE_OVERHEAD_BYTES = 100
/** Larger payloads are pulled by each session from the source instead of travelling along. */
export const MAX_CARRIED_BYTES = 256_000
/** A publish that did not come to its end by then is taken up by the alarm. */
export const INTENT_RESUME_MS = 30_000
/** Listeners whose message went to the queue are looked after by then, whatever became of the message. */
export const QUEUE_GRACE_MS = 30_000
/** Listeners that were not reached are tried again this much later, spread over as much again. */
export const REPAIR_RETRY_MS = 5_000
/** Caught up in one alarm; the rest in the next. */
export const REPAIR_CHUNK = 500
/** Bound parameters of one statement. */
export const SQL_MAX_PARAMETERS = 100
/** One topic's listeners; past this a topic is to be read directly instead of being copied. */
export const MAX_SUBSCRIBERS = 10_000
/** One request may name so many streams; more than one are joined in the background. */
export const MAX_STREAMS_PER_REQUEST = 500
export const MAX_STREAMS_PER_SESSION = 2_000
/** Of the sweeper: sessions at a time, and removals at a time for each. */
export const CLEANUP_SESSIONS = 10
export const CLEANUP_REMOVALS = 20
/** The sweeper leaves a session's own alarm this much time. */
export const CLEANUP_GRACE_MS = 60_000
/** Streams that a session joins or leaves at once when all of them are named; each asks two objects. */
export const ASSIGN_BATCH = 25
/** Streams joined by one alarm of a session. */
export const JOIN_CHUNK = 50
