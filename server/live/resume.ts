// What a returning reader missed: from memory where the ring reaches back far enough, from Postgres before that, and a
// reset where neither is exact.
import type { LogEntry, Outbox, OutboxEvent } from '#server/app/log-ports.ts'
import { serialise } from '#server/domain/feed/wire.ts'
import { comparePositions, type Position } from '#shared/position.ts'
import { storedFrame } from './frames.ts'
import type { Framed, Ring } from './ring.ts'

/** Beyond this a fresh page is cheaper for both sides. */
export const REPLAY_MAX_EVENTS = 1_000

/** `events` are read from the frames' data only when asked for: a stream needs the bytes alone. */
export type Replay = { frames: Buffer[]; events: () => OutboxEvent[]; position: Position }

export type ResumeDeps = {
  tail: { ring: Ring; position: Position | null }
  outbox: Pick<Outbox, 'missed'>
  /** Below this the log's events are no longer kept anywhere. */
  floorMs: () => number
}

/** Null: the position is too old, of another log, or ahead of this process by more than it can know. */
export async function replayAfter(
  deps: ResumeDeps,
  viewer: string,
  topics: Iterable<number>,
  after: Position,
  /** Nothing beyond this: where the log was when the topics were looked up. */
  until: Position | null = null,
): Promise<Replay | null> {
  const { tail, outbox } = deps
  const now = () => until ?? tail.position
  const position = now()
  if (!position || after.epoch !== position.epoch || after.ms < deps.floorMs()) return null
  if (tail.ring.holdsAllAfter(after)) return fromRing(tail.ring.after(after, topics, until), position, after)

  const seam = tail.ring.start!
  const older = await outbox.missed(viewer, after, { ...seam, n: seam.n + 1 }, REPLAY_MAX_EVENTS)
  const end = now()
  // While we asked, memory may have moved on, or be another log's.
  if (!older || end?.epoch !== after.epoch || !tail.ring.holdsAllAfter(seam)) return null
  const recent = fromRing(tail.ring.after(seam, topics, until), end, seam)
  if (older.length + recent.frames.length > REPLAY_MAX_EVENTS) return null
  return {
    frames: [
      ...older.map(({ position: at, event }) =>
        storedFrame(at && at.ms > 0 ? { epoch: after.epoch, ...at } : null, event.log.kind, serialise(event.log)),
      ),
      ...recent.frames,
    ],
    events: () => [...older.map(({ event }) => event), ...recent.events()],
    position: recent.position,
  }
}

function fromRing(entries: Framed[], now: Position, after: Position): Replay {
  return {
    frames: entries.map(({ frame }) => frame),
    events: () => entries.map(toEvent),
    // A reader that was ahead of this process keeps its own place.
    position: comparePositions(now, after) > 0 ? now : after,
  }
}

function toEvent({ topicId, kind, data }: Pick<LogEntry, 'topicId' | 'kind' | 'data'>): OutboxEvent {
  const event = JSON.parse(data)
  return { topicId, seq: event.seq, log: { kind: kind as 'activity' | 'update', event } }
}
