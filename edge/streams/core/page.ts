// Puts chunks together to the body of one answer, up to a size. Messages of a JSON stream are joined by commas and never
// cut; other streams are bytes and may be cut between chunks, and at the two ends that were asked for.
import type { Position } from './offset.ts'

export type Piece = { position: Position; message: Position; data: Uint8Array }
/** `body` of JSON is the inside of an array. */
export type Page = { body: Uint8Array; next: Position }
export type PageRequest = { from: Position; upTo: Position; maxBytes: number; json: boolean }

const COMMA = new Uint8Array([0x2c])

export function collectPage(pieces: Iterable<Piece>, { from, upTo, maxBytes, json }: PageRequest): Page {
  const parts: Uint8Array[] = []
  let bytes = 0
  let next = from
  let lastMessage: Position | null = null
  for (const { position, message, data } of pieces) {
    if ((json ? message : position) >= upTo) break
    if (position + data.length <= from || (json && message < from)) continue
    if (bytes >= maxBytes && !(json && message === lastMessage)) break
    const part = json ? data : data.subarray(Math.max(0, from - position), Math.max(0, upTo - position))
    if (json && lastMessage !== null && message !== lastMessage) parts.push(COMMA)
    parts.push(part)
    bytes += part.length
    next = json ? position + data.length : Math.min(position + data.length, upTo)
    lastMessage = message
  }
  return { body: concatenate(parts), next }
}

/** What the source gave, followed by what is the fork's own. */
export function joinPages(first: Page, second: Page, json: boolean): Page {
  const between = json && first.body.length > 0 && second.body.length > 0 ? [COMMA] : []
  return { body: concatenate([first.body, ...between, second.body]), next: second.next }
}

export function concatenate(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
