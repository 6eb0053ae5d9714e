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
