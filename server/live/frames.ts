// Events as bytes of an SSE body. A log event is framed here once per process; every connection gets the same bytes.
import type { LogEntry } from '#server/app/log-ports.ts'
import type { LiveEventName } from '#shared/live-events.ts'
import { type Position, printPosition } from '#shared/position.ts'

const CRLF = '\r\n'

/** One chunk of a chunked body: frames go to the socket directly, past the response's own encoder. */
const chunk = (text: string): Buffer => {
  const size = Buffer.byteLength(text).toString(16)
  return Buffer.from(`${size}${CRLF}${text}${CRLF}`)
}

export const logFrame = (entry: LogEntry): Buffer =>
  chunk(`id: ${printPosition(entry.position)}\nevent: ${entry.kind}\ndata: ${entry.data}\n\n`)

/** A log event that comes from Postgres because memory no longer holds it. */
export const storedFrame = (position: Position | null, name: 'activity' | 'update', data: string): Buffer =>
  chunk(`${position ? `id: ${printPosition(position)}\n` : ''}event: ${name}\ndata: ${data}\n\n`)

/** A person's event: no `id`, so that it never moves the position to resume from. */
export const personalFrame = (name: LiveEventName, data: unknown): Buffer =>
  chunk(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

/** A beat has the position as its `id`, and data, or parsers would drop it. */
export const beatFrame = (position: Position | null, beatAgeMs: number | null): Buffer => {
  const text = position && printPosition(position)
  return chunk(`${text ? `id: ${text}\n` : ''}event: beat\ndata: ${JSON.stringify({ position: text, beatAgeMs })}\n\n`)
}

export const retryFrame = (ms: number): Buffer => chunk(`retry: ${ms}\n\n`)
