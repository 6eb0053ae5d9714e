// How much one connection may say: a bucket, and an end to patience with whoever goes on against it.
import type { Clock } from '#shared/clock.ts'
import { TokenBucketRateLimiter } from '#shared/hub/token-bucket.ts'
import { ACK_COST, BYTES_PER_TOKEN, FLOOD_FRAMES, FRAME_BURST, FRAMES_PER_SECOND } from './tuning.ts'

export type FrameVerdict = { is: 'pass' } | { is: 'wait'; retryAfterMs: number } | { is: 'flood' }

export class FrameLimit {
  readonly #bucket: TokenBucketRateLimiter
  #refused = 0

  constructor(clock: Clock) {
    this.#bucket = new TokenBucketRateLimiter(FRAME_BURST, FRAMES_PER_SECOND, clock)
  }

  ask({ bytes, isAck }: { bytes: number; isAck: boolean }): FrameVerdict {
    const cost = (isAck ? ACK_COST : 1) + bytes / BYTES_PER_TOKEN
    if (this.#bucket.allow(cost)) {
      // Forgiven when it has been quiet for a while, not for a single frame that happened to fit.
      if (this.#bucket.remaining() > FRAME_BURST / 2) this.#refused = 0
      return { is: 'pass' }
    }
    this.#refused += 1
    if (this.#refused > FLOOD_FRAMES) return { is: 'flood' }
    return { is: 'wait', retryAfterMs: Math.max(1, this.#bucket.retryAfterMs(cost)) }
  }
}
