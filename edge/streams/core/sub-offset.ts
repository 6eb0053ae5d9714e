// Where a fork with `Stream-Fork-Sub-Offset` begins: so many bytes, or of JSON so many messages, after a place that was
// handed out, and not past the end of the append that begins there.
import type { Position } from './offset.ts'
import { type Refusal, refuse } from './refusal.ts'

export type SubOffsetView = {
  json: boolean
  /** Where the append that begins at the anchor ends. */
  batchEnd: Position
  /** Beginnings of the messages after the anchor, below `batchEnd`; enough of them for `subOffset`. */
  messageStarts: Position[]
}

export function placeOfSubOffset(anchor: Position, subOffset: number, view: SubOffsetView): Position | Refusal {
  if (subOffset === 0) return anchor
  const ends = view.json ? [...view.messageStarts, view.batchEnd] : null
  const place = ends === null ? anchor + subOffset : ends[subOffset - 1]
  return place === undefined || place > view.batchEnd ? OVERSHOT : place
}

export const OVERSHOT: Refusal = refuse(400, 'Stream-Fork-Sub-Offset is past the data that begins there')

/** Null for what is not a whole number. */
export const parseSubOffset = (text: string): number | null => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null)
