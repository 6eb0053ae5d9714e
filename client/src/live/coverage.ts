import { comparePositions, parsePosition } from '#shared/position.ts'

/**
 * Whether somebody who knows everything up to `own` misses nothing of a source that goes on after `after`. Places of
 * different epochs, and places that are not known, say nothing about each other.
 */
export function covers(own: string | null, after: string | null): boolean {
  if (own === null || after === null) return false
  if (own === after) return true
  const [mine, theirs] = [parsePosition(own), parsePosition(after)]
  if (!mine.ok || !theirs.ok || mine.value.epoch !== theirs.value.epoch) return false
  return comparePositions(mine.value, theirs.value) >= 0
}
