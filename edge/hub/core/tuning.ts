// Sizes, times and limits of the hub, with their reasons. What both ends agree on is in shared/hub/tuning.ts.

export const DEFAULT_SHARDS = 10
/** Points of each shard on the ring: enough for a spread of ±15 %. */
export const VIRTUAL_NODES = 150

/** Registrations of one shard. */
export const MAX_ACTORS = 50_000
/** The platform takes 32,768 sockets of one object; the rest is left for those that are being closed. */
export const MAX_SOCKETS = 30_000
export const WARN_UTILIZATION = 0.9
export const REFUSE_UTILIZATION = 0.95
export const FULL_RETRY_SECONDS = 60

/** Connections a second and in a burst, for each shard. */
export const ADMISSION_PROFILES = {
  production: { perSecond: 100, burst: 100 },
  'high-traffic': { perSecond: 200, burst: 200 },
  development: { perSecond: 10, burst: 10 },
} as const
export type AdmissionProfile = keyof typeof ADMISSION_PROFILES

/** Frames of one connection; acknowledgements cost a tenth, or a busy receiver could not keep up. */
export const FRAMES_PER_SECOND = 100
export const FRAME_BURST = 200
export const ACK_COST = 0.1
/** A frame costs by its size as well, or a few large ones would be worth thousands of small ones. */
export const BYTES_PER_TOKEN = 16_384
/** So many refused frames in a row are no accident. */
export const FLOOD_FRAMES = 500

export const INBOX_MESSAGES = 100
/** A message without an end of its own is kept for so long. */
export const INBOX_MAX_MS = 24 * 3_600_000
/** Two minutes at more than a thousand asks a second. */
export const MAX_SEEN = 200_000
export const SWEEP_MS = 60_000
/** Three pings missed: nobody is there. */
export const SILENT_MS = 100_000

export const REPLAY_EVENTS = 256
export const REPLAY_BYTES = 1_048_576
export const REPLAY_MAX_MS = 3_600_000
/** One event: a shard hands it to every subscriber. */
export const MAX_EVENT_BYTES = 262_144
export const MAX_TOPICS_PER_ACTOR = 2_000
/** A shard that was not reached is tried again this much later. */
export const RELAY_RETRY_MS = 2_000
/** Fan-out that a crash interrupted is looked for this much later. */
export const RELAY_CHECK_MS = 5_000
/** A withdrawn right outlives every token that still names it: five minutes and the leeway of clocks. */
export const REVOCATION_MS = 360_000

export const BROADCAST_SLICE = 100
/** Above so many recipients of a shard, slices go through the queue as well. */
export const BROADCAST_QUEUE_ABOVE = 10_000
export const BROADCAST_RESUME_MS = 2_000
/** What the queue has not brought by then, the shard sends itself. */
export const BROADCAST_QUEUE_GRACE_MS = 30_000
/** A broadcast that never expires is dropped after so long. */
export const BROADCAST_MAX_MS = 300_000
export const QUEUE_RETRY_SECONDS = 5
export const QUEUE_MAX_RETRY_SECONDS = 300

/** Another shard that does not answer for so long has failed for now. */
export const SHARD_TIMEOUT_MS = 10_000
export const DISCOVER_TIMEOUT_MS = 3_000

/** Actors moved by one alarm of a shard, and the pause between two: 100 a second, as many as are admitted again. */
export const MOVE_CHUNK = 50
export const MOVE_PAUSE_MS = 500
