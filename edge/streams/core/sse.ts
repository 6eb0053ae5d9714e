// The frames of a stream read by SSE (protocol §5.8): each data event is followed by a control event that says where
// the reader is now.
import { isJson, isText } from './content-type.ts'
import { formatOffset, type Position } from './offset.ts'

export type Control = { next: Position; cursor: string; upToDate: boolean; closed: boolean }

/** A comment keeps the connection alive and shows whether somebody still reads. */
export const HEARTBEAT = ': \n\n'

export function dataEvent(contentType: string, body: Uint8Array): string {
  const text = isText(contentType) ? new TextDecoder().decode(body) : base64(body)
  // Any of the three line ends would otherwise end our line and let the payload forge events.
  const lines = (isJson(contentType) ? `[${text}]` : text).split(/\r\n|\r|\n/)
  return `event: data\n${lines.map(dataLine).join('')}\n`
}

export function controlEvent({ next, cursor, upToDate, closed }: Control): string {
  const place = { streamNextOffset: formatOffset(next) }
  const control = closed
    ? { ...place, upToDate: true, streamClosed: true }
    : { ...place, streamCursor: cursor, ...(upToDate ? { upToDate: true } : {}) }
  return `event: control\n${dataLine(JSON.stringify(control))}\n`
}

/** Ours, for readers who ask for it: how old the origin's last sign of life is. */
export const beatEvent = (beatAgeMs: number | null): string =>
  `event: beat\n${dataLine(JSON.stringify({ beatAgeMs }))}\n`

/** Readers drop one space after the colon, so a line that begins with one gets another. */
const dataLine = (line: string): string => `data:${line.startsWith(' ') ? ' ' : ''}${line}\n`

/** `btoa` wants characters; a large body at once would be too many arguments. */
function base64(bytes: Uint8Array): string {
  const PIECE = 8_190
  let characters = ''
  for (let at = 0; at < bytes.length; at += PIECE) characters += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(characters)
}
