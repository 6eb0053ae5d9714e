// Every interval, size and limit that somebody may want to turn, with its unit and reason.

// ── HTTP ──────────────────────────────────────────────────────────────────────────────────────────────────────────
/** The largest honest call is a publish: 16 KiB of metadata, 4,000 characters and some names. Batches fit too. */
export const TRPC_BODY_MAX_BYTES = 256 * 1024
/** An e-mail, a password and a name. */
export const AUTH_BODY_MAX_BYTES = 16 * 1024
/** The browser sends at most 10 in a batch; more than this is not our client. */
export const TRPC_BATCH_MAX = 20
/** A client that needs longer to say what it wants is broken or holding sockets on purpose. */
export const HEADERS_TIMEOUT_MS = 15_000
/** For the whole request to arrive. Says nothing about how long the answer may stream. */
export const REQUEST_TIMEOUT_MS = 30_000
/** Longer than the idle limit of usual proxies (60 s), so that it is never us who close under their request. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** What running requests get to finish when the server stops. */
export const STOP_DEADLINE_MS = 5_000
/** How often a stopping server looks for connections that have become idle. */
export const STOP_SWEEP_MS = 50

// ── Ingest ────────────────────────────────────────────────────────────────────────────────────────────────────────
/** Five hundred activities with 8 KB each; reading more at once would hold up everybody else. */
export const INGEST_BODY_MAX_BYTES = 4 * 1024 * 1024
/** GitHub's own limit for a payload. */
export const GITHUB_BODY_MAX_BYTES = 25 * 1024 * 1024
/** Requests of one key, whose sender can put many activities into each. */
export const INGEST_PER_MINUTE = 600
/** Requests of one address with a key that does not exist: a wrong configuration, or somebody trying. */
export const INGEST_UNKNOWN_PER_MINUTE = 60
/** When a key was last used is told to the minute, so that publishing does not write it each time. */
export const KEY_USED_EVERY_MS = 60_000

// ── Accounts ──────────────────────────────────────────────────────────────────────────────────────────────────────
export const PASSWORD_MIN_CHARS = 10
/** Hashing costs time per byte: no longer than anybody types. */
export const PASSWORD_MAX_CHARS = 128
/** A session lives this long after it was last used … */
export const SESSION_SECONDS = 30 * 24 * 3600
/** … and is prolonged at most this often, so that reading does not turn into writing. */
export const SESSION_RENEW_SECONDS = 24 * 3600
/** Per address: an office behind one address can start its day, a guesser gets nowhere. */
export const SIGN_IN_PER_ADDRESS = { max: 20, windowSeconds: 60 }
export const SIGN_UP_PER_ADDRESS = { max: 10, windowSeconds: 60 }
/** Per account, whatever the address: many machines together get no more guesses than one. */
export const SIGN_IN_PER_ACCOUNT = { max: 10, windowSeconds: 600 }
/** One write in this many also removes expired counters. */
export const ATTEMPT_SWEEP_EVERY = 100

// ── Polling ───────────────────────────────────────────────────────────────────────────────────────────────────────
/** Polls that do work, per session: the client's schedule (5 s and up to 30 % more) stays just below. */
export const POLLS_PER_MINUTE = 12
/** The same for somebody who holds a live connection: they poll by mistake or for a moment. */
export const POLLS_PER_MINUTE_LIVE = 120
/** Over all sessions of one person: five devices. */
export const POLLS_PER_MINUTE_PERSON = 60

// ── Search ────────────────────────────────────────────────────────────────────────────────────────────────────────
/** Far beyond an honest search, which takes milliseconds, and short enough that hostile ones leave room for the others. */
export const SEARCH_STATEMENT_MS = 2_000

// ── Read state ────────────────────────────────────────────────────────────────────────────────────────────────────
/** What is older has left the window: it is shown when scrolled to, and no longer counts as unread. */
export const ACTIVITY_WINDOW_DAYS = 30
/** How long bits are kept after the newest activity that they stand for. */
export const BITMAP_TTL_SECONDS = ACTIVITY_WINDOW_DAYS * 24 * 3600
/** Longer than floors can stay behind the window: below a floor nothing asks for bits any more. */
export const BITMAP_GRACE_SECONDS = 2 * 24 * 3600
/** How often changed states go to Postgres: a second to wait and a second to write make two. */
export const SAVE_READS_MS = 1_000
/** How often operations that waited for Redis, and states that a dead process left unsaved, are looked for. */
export const SETTLE_READS_MS = 2_000
/** Topics and numbers by which floors move in one statement. */
export const FLOORS_BATCH = 1_000

// ── Live ──────────────────────────────────────────────────────────────────────────────────────────────────────────
/** The recent log in memory: at 1 KB an event about 30,000 of them. */
export const RING_MAX_BYTES = 32 * 1024 * 1024
/** Unsent bytes of one reader before it is cut; it resumes from its own place. */
export const SSE_MAX_QUEUED_BYTES = 1024 * 1024
/** Well below the usual limit of file descriptors. */
export const SSE_PER_PROCESS_MAX = 15_000
/** A dozen tabs on a few devices. */
export const SSE_PER_PERSON_MAX = 48
/** Lower bound of the jittered `retry:`; the upper one is twice this. */
export const SSE_RETRY_MS = 2_000
/** How often a beat is written to the log; readers are told as it comes. Below the 60 s idle limit of proxies. */
export const BEAT_MS = 15_000
/** From this age on readers are told without a new one. A beat that is just being written is not late. */
export const BEAT_LATE_MS = 1.5 * BEAT_MS
/** How often a connection is noted in Redis as alive, and after how long without that it counts as gone. */
export const PRESENCE_MS = 30_000
export const PRESENCE_TTL_MS = 75_000
/** How often rights and sessions of open connections are compared with Postgres, in case a message was lost. */
export const AUDIT_MS = 60_000
/** How long the log and the outbox keep events. */
export const LOG_RETENTION_HOURS = 48
/** How long a repeated publish is recognised: longer than any client goes on trying; GitHub offers it for three days. */
export const IDEMPOTENCY_HOURS = 96
/** How often what is not yet in the log is looked for, and heads are compared. */
export const SWEEP_MS = 1_000
export const RECONCILE_MS = 60_000
export const CLEAN_UP_MS = 10 * 60_000
/** Rows removed at a time, so that no lock is held for long. */
export const CLEAN_UP_BATCH = 5_000

// ── Canary ────────────────────────────────────────────────────────────────────────────────────────────────────────
/** How often each process sends one, and how long it may take to come back. The alert waits for six that failed. */
export const CANARY_MS = 20_000
export const CANARY_TIMEOUT_MS = 10_000

// ── Delivery ──────────────────────────────────────────────────────────────────────────────────────────────────────
/** Pending and untouched for so long, an entry is taken for an orphan. Far longer than the longest try. */
export const PEL_IDLE_TIME = 5 * 60_000
/** For one try of one handler on one batch; budget and request limit of the handlers fit in. */
export const HANDLER_TIMEOUT_MS = 30_000
/** How long one process has a topic on its way to the edge; one that dies in the middle holds it up for so long. */
export const EDGE_LEASE_MS = 15_000
/** As long as the edge keeps a session that nobody asks about (edge/subscriptions/constants.ts). */
export const EDGE_SESSION_MS = 30 * 60_000
/** Whoever looks after a session has it for so long: longer than its requests to the edge may take. */
export const EDGE_CLAIM_MS = 30_000
/** A request to the edge that was on its way when a session ended has arrived or failed by then. */
export const EDGE_LINGER_MS = 60_000
/** Browsers that share one sign-in are one; reloads and new leaders leave some behind for a while. */
export const EDGE_SESSIONS_PER_LOGIN = 8
/** How often sessions that do not fit are looked for. What changes is told at once; this is for what went wrong. */
export const EDGE_SWEEP_MS = 2_000
/** How often the edge hears that we live: four times before readers there would leave. Of it, one process's turn. */
export const EDGE_BEAT_MS = 10_000
export const EDGE_BEAT_TURN = 0.8
/** What was stored before this must be at the edge for a beat to be honest. */
export const EDGE_BEHIND_MS = 10_000
/** How often each handler's schedule is looked at. */
export const RETRY_EVERY_MS = 250
/** How long a read of the group waits for something new. */
export const DELIVERY_BLOCK_MS = 1_000
/** Entries read at a time, and such batches under way at once in a process. */
export const DELIVERY_BATCH = 500
export const DELIVERY_BATCHES = 4
/** Work waiting in the schedule beyond which nothing new is read: about 50 MB of Redis at most. */
export const SCHEDULE_MAX = 50_000
/** Dead letters that are kept; beyond it work stays scheduled. At 2 KB each about 20 MB. */
export const DEAD_LETTERS_MAX = 10_000
/** How often one piece of work may be replayed before somebody has to look closer. */
export const REPLAYS_MAX = 5
/** Letters that one call may replay or discard. */
export const DEAD_BATCH_MAX = 500
/** Entries in the log beyond which the oldest go, finished or not: at 1 KB each about 1 GB. */
export const LOG_MAX_ENTRIES = 1_000_000
/** Unfinished for so long, work is looked for in Postgres, whatever Redis says. Longer than PEL_IDLE_TIME. */
export const OWED_AGE_MS = 10 * 60_000
export const OWED_EVERY_MS = 60_000
export const ADOPT_EVERY_MS = 15_000
/** A consumer that has not asked for so long belongs to a process that is gone. */
export const CONSUMER_IDLE_MS = 10 * 60_000
/** How often a process says what it does, and how long that counts. */
export const PROCESS_NOTE_MS = 2_000
export const PROCESS_NOTE_TTL_MS = 15_000
/** How often memory by kind of key is estimated: two hundred keys are drawn. */
export const MEMORY_SAMPLE_MS = 60_000
/** How often the figures of the group are read for metrics. */
export const DELIVERY_FIGURES_MS = 5_000

// ── Webhooks ──────────────────────────────────────────────────────────────────────────────────────────────────────
/** For one request to an address that somebody gave us; below the time that a job partition waits for us. */
export const WEBHOOK_TIMEOUT_MS = 10_000
/** Of an answer, this much is read and kept for the log. */
export const WEBHOOK_ANSWER_BYTES = 1_024
/** Tries of one delivery. The partitions' backoff spreads them over about ten minutes; a host that is away uses none. */
export const WEBHOOK_TRIES = 8
/** An endpoint that has failed for so long is paused, and its owner told. */
export const WEBHOOK_GIVE_UP_DAYS = 3
/** Open and not heard of for so long, a delivery is handed over again. Longer than the longest backoff. */
export const WEBHOOK_STALE_MS = 2 * 3_600_000
export const WEBHOOK_SWEEP_MS = 2_000
export const WEBHOOK_LOG_DAYS = 30
