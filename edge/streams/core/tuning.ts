// Sizes and times of the streams core, with their reasons.

/** One request's body. An object has 128 MB of memory, and a body is held about three times while it is stored. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** One answer of a read; a call between objects may carry 32 MB. */
export const READ_PAGE_BYTES = 1024 * 1024
/** Appends up to this size travel inside the notice to live readers; larger ones are fetched by them. */
export const INLINE_NOTICE_BYTES = 32 * 1024
/** Notices that may wait for a slow reader; past this it reads from the stream again. */
export const MAX_WAITING_NOTICES = 64
/** Below the 60 seconds after which proxies cut silent connections, and how soon a reader that left is noticed. */
export const HEARTBEAT_MS = 15_000
/** The protocol asks for about a minute, so that new readers can join shared requests. */
export const SSE_LIFE_MS = 60_000
export const LONG_POLL_MS = 20_000
/** What could not be told to another object is told again this much later. */
export const DUTY_RETRY_MS = 5_000
/** How long after its beginning a fork that was never finished gives its claim on the source back. */
export const FORK_CLAIM_MS = 60_000
/** How often readers are told the age of the origin's beat; as often as the origin itself does. */
export const BEAT_MS = 15_000
/** How long one Worker's readers share what the directory said of it. */
export const BEAT_KEPT_MS = 1_000
