// Cursors for request collapsing (protocol §10.1): the number of the current 20-second interval, so that readers who ask
// in the same interval share a cache entry. A reader that already has it gets a later one, or it would be handed the
// same cached answer for ever.
import type { Random } from '#shared/clock.ts'

export const CURSOR_INTERVAL_MS = 20_000
/** Where the protocol starts to count: 9 October 2024. */
export const CURSOR_EPOCH_MS = Date.UTC(2024, 9, 9)
const MAX_JITTER_MS = 3_600_000

export function nextCursor(given: string | null, nowMs: number, random: Random): string {
  const current = Math.floor((nowMs - CURSOR_EPOCH_MS) / CURSOR_INTERVAL_MS)
  const known = given !== null && /^\d{1,15}$/.test(given) ? Number(given) : -1
  if (known < current) return String(current)
  const jitterMs = 1_000 + random() * (MAX_JITTER_MS - 1_000)
  return String(known + Math.max(1, Math.floor(jitterMs / CURSOR_INTERVAL_MS)))
}
