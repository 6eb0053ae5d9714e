// Places in a stream. A position is the number of bytes before it; an offset is its printed form, fixed in width so that
// text order is stream order. The first half is always zero: room for a later generation of a stream's storage.

export type Position = number

const HALF = 16
const OFFSET = /^(\d{16})_(\d{16})$/
const PREFIX = '0'.repeat(HALF)

export type OffsetRequest = { at: 'start' } | { at: 'now' } | { at: 'position'; position: Position }

export const formatOffset = (position: Position): string => `${PREFIX}_${String(position).padStart(HALF, '0')}`

/** Null for whatever we never handed out. */
export function parseOffset(text: string): Position | null {
  const match = OFFSET.exec(text)
  if (match === null || match[1] !== PREFIX) return null
  const position = Number(match[2])
  return Number.isSafeInteger(position) ? position : null
}

/** The `offset` of a read: a place we handed out, `-1` for the beginning, or `now` for the end. */
export function parseOffsetRequest(text: string): OffsetRequest | null {
  if (text === '-1') return { at: 'start' }
  if (text === 'now') return { at: 'now' }
  const position = parseOffset(text)
  return position === null ? null : { at: 'position', position }
}
