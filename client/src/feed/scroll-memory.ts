// Where somebody was in a list when they left it, for when they come back: the row at the top of the screen, and the
// heights of all rows as they were measured. By row and not by pixels, since others may have arrived above it.
import type { VirtualItem } from '@tanstack/react-virtual'

export type Place = {
  row: VirtualItem['key']
  /** From the top of the screen to the row. */
  distancePx: number
  measured: VirtualItem[]
}

const PLACES_MAX = 20

const places = new Map<string, Place>()

/** Null forgets: at the top there is nothing to come back to. */
export function keepPlace(list: string, place: Place | null) {
  places.delete(list)
  if (place === null) return
  places.set(list, place)
  const [oldest] = places.keys()
  if (places.size > PLACES_MAX && oldest !== undefined) places.delete(oldest)
}

export const placeIn = (list: string): Place | undefined => places.get(list)
