// How many events travel to the edge in one request: all or none of them are taken there. An event that takes rights away
// begins a batch, because it may not be sent before that has happened.
import type { LogEvent } from '#shared/live-events.ts'

export const BATCH_EVENTS = 100
/** Small enough to be carried along to every session instead of being pulled by each. */
export const BATCH_CHARS = 100_000

/** Whether somebody may see less after it. */
export function withdraws(log: LogEvent): boolean {
  if (log.kind !== 'update') return false
  const { change } = log.event
  return change.kind === 'member'
    ? change.state === 'removed'
    : change.kind === 'settings' && change.visibility === 'private'
}

/** At least one. */
export function batchLength(events: readonly { body: string; withdraws: boolean }[]): number {
  let chars = 0
  const end = events.findIndex((event, index) => {
    chars += event.body.length
    return index > 0 && (event.withdraws || index >= BATCH_EVENTS || chars > BATCH_CHARS)
  })
  return end < 0 ? events.length : end
}
