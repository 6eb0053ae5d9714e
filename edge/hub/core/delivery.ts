// What becomes of a message at its target's shard. Decides; stores and sends nothing.
import { isExpired, type SharedMessage } from '#shared/hub/message.ts'
import { MAX_SEEN_MS, SEEN_MS } from '#shared/hub/tuning.ts'
import { INBOX_MAX_MS, INBOX_MESSAGES, MAX_SEEN } from './tuning.ts'

export type DeliveryAck = { status: 'delivered' | 'queued'; deliveredAt: number }

export type Delivered =
  | ({ is: 'ack' } & DeliveryAck)
  | { is: 'unknown_actor' }
  | { is: 'expired' }
  | { is: 'rate_limited'; retryAfterMs: number }
  | { is: 'failed' }

/** What the shard knows when the message arrives. */
export type TargetState = {
  registered: boolean
  connected: boolean
  /** Of this very message, when the sender repeats itself. */
  knownAck: DeliveryAck | null
  /** Asks that the target has not acknowledged. */
  waiting: number
  /** Ids remembered by the shard. */
  seen: number
}

export type Plan =
  | { do: 'answer'; answer: Delivered }
  /** At most once: into the socket and out of mind. */
  | { do: 'pass' }
  /** Kept until the target acknowledges; `send` when it is connected. */
  | { do: 'keep'; send: boolean; ack: DeliveryAck; seenUntilMs: number; keepUntilMs: number }

/** How soon an ask may be tried again when the target is too busy or the memory for repeats is full. */
export const BUSY_RETRY_MS = 1_000

export function planDelivery(message: SharedMessage, target: TargetState, nowMs: number): Plan {
  if (isExpired(message, nowMs)) return answer({ is: 'expired' })
  if (message.pattern === 'tell') return target.connected ? { do: 'pass' } : answer({ is: 'unknown_actor' })
  if (target.knownAck !== null) return answer({ is: 'ack', ...target.knownAck })
  if (!target.registered) return answer({ is: 'unknown_actor' })
  if (target.waiting >= INBOX_MESSAGES)
    return answer(target.connected ? { is: 'rate_limited', retryAfterMs: BUSY_RETRY_MS } : { is: 'unknown_actor' })
  if (target.seen >= MAX_SEEN) return answer({ is: 'rate_limited', retryAfterMs: BUSY_RETRY_MS })
  const ttl = message.ttl ?? INBOX_MAX_MS
  return {
    do: 'keep',
    send: target.connected,
    ack: { status: target.connected ? 'delivered' : 'queued', deliveredAt: nowMs },
    seenUntilMs: nowMs + Math.min(MAX_SEEN_MS, Math.max(SEEN_MS, message.ttl ?? 0)),
    keepUntilMs: message.timestamp + ttl,
  }
}

const answer = (given: Delivered): Plan => ({ do: 'answer', answer: given })
