// When to try again after the socket was lost: pure.
import type { Random } from '../clock.ts'
import { RECONNECT_CONFIG } from './tuning.ts'

/**
 * `attempt` counts from 0 after a loss. The first waits a random part of the jitter, so that the actors of a hub that
 * restarted do not all come at once; `atOnce` when it was our own network that was away.
 */
export function reconnectDelayMs(attempt: number, random: Random, atOnce = false): number {
  const { initialDelayMs, maxDelayMs, multiplier, jitterMs } = RECONNECT_CONFIG
  if (attempt === 0) return atOnce ? 0 : random() * jitterMs
  const step = Math.min(maxDelayMs, initialDelayMs * multiplier ** (attempt - 1))
  // Between half and the whole, so that those who failed together part.
  return step / 2 + (random() * step) / 2
}
