// Sizes, times and limits of the subscription worker, with their reasons. The first eight keep the names under which they
// are known from the design.

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
/** One failure may be anybody's; five batches in a row are ours, and the publisher should not wait for a sixth. */
export const CIRCUIT_BREAKER_FAILURE_THRESHOLD = 5
/** Long enough for an object to be moved or a deploy to finish; what is skipped meanwhile is caught up. */
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
/** Listeners of one SubscriptionDO; the next go to another one beside it, which writes to its own at the same time. */
export const SHARD_SUBSCRIBERS = 5_000
/** Past so many a copy for each costs more than it brings: the topic is read directly, with a token of its own. */
export const MAX_SUBSCRIBERS = 10_000
/** One request may name so many streams; more than one are joined in the background. */
export const MAX_STREAMS_PER_REQUEST = 500
export const MAX_STREAMS_PER_SESSION = 2_000
/** Streams that a session joins or leaves at the same time; each asks two objects. */
export const JOIN_BATCH = 25
/** Streams joined by one alarm of a session; the rest in the next. */
export const JOIN_CHUNK = 100
/** A stream that could not be joined or left is tried again this much later. */
export const JOIN_RETRY_MS = 5_000
/** Sources that a touch asks for what no delivery brought: all of them in turns, whatever happened to their messages. */
export const CATCH_UP_SOURCES = 20
/** Of the sweeper: sessions at a time, and removals at a time for each. */
export const CLEANUP_SESSIONS = 10
export const CLEANUP_REMOVALS = 20
/** Ended by one run of the sweeper: a run may make a thousand calls. The others wait five minutes. */
export const CLEANUP_MAX_SESSIONS = 200
/** The sweeper leaves a session's own alarm this much time. */
export const CLEANUP_GRACE_MS = 60_000
/** The session's stream outlives the lease by as much again, in case the session is late to end it. */
export const STREAM_LIVES_PER_LEASE = 2
/** The sweeper's note of a lease outlives it by this factor; then there is nothing left that it could find. */
export const LEASE_NOTE_LIVES = 4
