// What the stream says, read once: the tab that holds the connection parses, the others get the result.
import type {
  ActivityEvent,
  BeatEvent,
  BellEvent,
  ControlEvent,
  ReadEvent,
  UnreadCounts,
  UpdateEvent,
} from '#shared/live-events.ts'
import type { StreamEvent } from './event-stream.ts'

type Named<N extends string, Body> = { name: N; id: string | null; body: Body }

export type LiveEvent =
  | Named<'activity', ActivityEvent>
  | Named<'update', UpdateEvent>
  | Named<'read', ReadEvent>
  | Named<'unread', UnreadCounts>
  | Named<'bell', BellEvent>
  | Named<'control', ControlEvent>
  | Named<'beat', BeatEvent>

const NAMES: ReadonlySet<string> = new Set<LiveEvent['name']>([
  'activity',
  'update',
  'read',
  'unread',
  'bell',
  'control',
  'beat',
])

/** Null for what a newer server may say and we do not know yet: it is a sign of life and nothing else. */
export function readEvent({ event, id, data }: StreamEvent): LiveEvent | null {
  if (!NAMES.has(event)) return null
  return { name: event, id: id ?? null, body: JSON.parse(data) } as LiveEvent
}
