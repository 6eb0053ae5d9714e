// Sizes and times that both ends of the hub's protocol agree on, with their reasons.

export const PROTOCOL_VERSION = '0.1.0'
/** Asked for and chosen when the socket is opened. */
export const SUBPROTOCOL = 'signal-hub.v0'
/** Before the token, offered as a second subprotocol: a browser can set no header, and addresses end up in logs. */
export const TOKEN_SUBPROTOCOL = 'jwt.'

/** Answered by the platform without waking the hub. */
export const PING = '{"type":"hub:ping"}'
export const PONG = '{"type":"hub:pong"}'
export const PING_SECONDS = 30

export const MAX_FRAME_BYTES = 1_048_576
export const REGISTRATION_TTL_SECONDS = 300
export const MAX_REGISTRATION_TTL_SECONDS = 3_600
/** A message may claim to come from this far ahead; clocks differ. */
export const MAX_FUTURE_MS = 30_000

/** How long a sender's repeat is known. It must exceed the sender's whole retry span; a test holds the two together. */
export const SEEN_MS = 120_000
export const MAX_SEEN_MS = 300_000

/** How long messages of a kind are worth delivering. */
export const TTL_MS = { heartbeat: 10_000, status: 5_000, task: 30_000, broadcast: 60_000, query: 5_000 } as const

export const ASK_TIMEOUT_MS = 30_000
/** A message outlives its sender's patience, or it could expire while it is still wanted. */
export const ASK_TTL_MARGIN_MS = 5_000
export const ASK_ATTEMPTS = 3
export const ASK_BACKOFF_MS = 1_000

/** Frames to one actor that it has not confirmed: above the first its senders are paused, below the second they go on. */
export const PAUSE_BACKLOG = 1_000
export const RESUME_BACKLOG = 500
/** The hub asks for a confirmation after so many frames. */
export const MARK_EVERY = 250
/** Whoever is this far behind is cut off, and catches up by replay when it comes back. */
export const MAX_BACKLOG = 5_000

export const MAX_TOPICS_PER_FRAME = 500
export const MAX_DISCOVERED = 100

/** First try after a random part of `jitterMs`, so that a hub that restarts is not met by everybody at once. */
export const RECONNECT_CONFIG = { initialDelayMs: 100, maxDelayMs: 30_000, multiplier: 2, jitterMs: 30_000 } as const
