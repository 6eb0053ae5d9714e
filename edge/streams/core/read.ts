// What an answer to a read says about the stream: place, end, freshness, and how long it may be kept (protocol §5.6,
// §5.7, §10).
import { isJson } from './content-type.ts'
import { formatOffset, type Position } from './offset.ts'

export type ReadResult = {
  contentType: string
  incarnation: string
  from: Position
  next: Position
  tail: Position
  /** Of JSON the inside of an array. */
  body: Uint8Array
  closed: boolean
  isPublic: boolean
}

export type ReadMode = 'catch-up' | 'now' | 'long-poll'

export const isUpToDate = ({ next, tail }: Pick<ReadResult, 'next' | 'tail'>): boolean => next >= tail
/** Whether the reader has everything there will ever be. */
export const isAtEnd = (result: ReadResult): boolean => result.closed && isUpToDate(result)

/** Closing changes it, or a reader with the last bytes would never hear of the end. */
export const entityTag = ({ incarnation, from, next, closed, tail }: ReadResult): string =>
  `"${incarnation}:${from}:${next}${closed && next >= tail ? ':c' : ''}"`

export function readHeaders(result: ReadResult, mode: ReadMode, cursor: string | null): Record<string, string> {
  return {
    'Content-Type': result.contentType,
    'Stream-Next-Offset': formatOffset(result.next),
    'Cache-Control': cacheControl(result, mode),
    ...(isUpToDate(result) ? { 'Stream-Up-To-Date': 'true' } : {}),
    ...(isAtEnd(result) ? { 'Stream-Closed': 'true' } : {}),
    ...(mode === 'now' ? {} : { ETag: entityTag(result) }),
    ...(cursor === null || isAtEnd(result) ? {} : { 'Stream-Cursor': cursor }),
  }
}

/** Bytes at a place never change, so an answer that has some may be kept. One that has none is out of date soon. */
function cacheControl(result: ReadResult, mode: ReadMode): string {
  if (mode === 'now') return 'no-store'
  if (result.body.length === 0) return 'no-cache'
  return `${result.isPublic ? 'public' : 'private'}, max-age=60, stale-while-revalidate=300`
}

const BRACKETS = [new Uint8Array([0x5b]), new Uint8Array([0x5d])] as const

export function readBody({ contentType, body }: ReadResult): Uint8Array {
  if (!isJson(contentType)) return body
  const list = new Uint8Array(body.length + 2)
  list.set(BRACKETS[0], 0)
  list.set(body, 1)
  list.set(BRACKETS[1], body.length + 1)
  return list
}

/** `If-None-Match`: one tag, several, or `*`; a weak tag is as good here. */
export const matchesTag = (header: string | null, tag: string): boolean =>
  (header ?? '').split(',').some((candidate) => ['*', tag].includes(candidate.trim().replace(/^W\//, '')))
