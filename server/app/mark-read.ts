// Read marks: a person's own, told to all their tabs and devices with the new counts.
import { AppError, noSuchTopic } from '#shared/errors.ts'
import type { ReadEvent, UnreadCounts } from '#shared/live-events.ts'
import type { PersonalBus } from './log-ports.ts'
import type { ActivityStore, TopicStore } from './ports.ts'
import type { NumberRange, ReadStore } from './read-ports.ts'

type Deps = {
  activities: Pick<ActivityStore, 'places'>
  reads: ReadStore
  topics: Pick<TopicStore, 'find'>
  bus: Pick<PersonalBus, 'send'>
  /** The marks are stored; other tabs get them with their next connect. */
  onTellError: (error: unknown) => void
}

export type MarkRead = ReturnType<typeof createMarkRead>

export function createMarkRead({ activities, reads, topics, bus, onTellError }: Deps) {
  async function tell(userId: string, version: number, ranges: NumberRange[], read: boolean): Promise<UnreadCounts> {
    const counts = await reads.counts(userId)
    const event: ReadEvent = {
      version,
      marks: ranges.map(({ topicId, from, to }) => ({ topic: topicId, from, to, read })),
    }
    try {
      await bus.send({ type: 'reads', userId, read: event, counts })
    } catch (error) {
      onTellError(error)
    }
    return counts
  }

  async function mark(viewer: string, ids: number[], read: boolean): Promise<UnreadCounts> {
    const places = await activities.places(viewer, ids)
    // Unknown and hidden ids are the same to the caller: nothing is marked, nothing is said about them.
    if (places.length === 0) return reads.counts(viewer)
    const { version } = await reads.mark(viewer, places, read)
    return tell(
      viewer,
      version,
      places.map(({ topicId, no }) => ({ topicId, from: no, to: no })),
      read,
    )
  }

  return {
    markRead: (viewer: string, ids: number[]) => mark(viewer, ids, true),
    markUnread: (viewer: string, ids: number[]) => mark(viewer, ids, false),
    counts: (viewer: string) => reads.counts(viewer),

    /** Up to what the person was shown, so that what arrived unseen stays unread. */
    async markAllRead(viewer: string, input: { topic?: string | undefined; upTo: Record<string, number> }) {
      const only = input.topic === undefined ? null : await topics.find(viewer, input.topic)
      if (input.topic !== undefined && !only) throw noSuchTopic()
      const upTo = Object.entries(input.upTo)
        .map(([topicId, no]) => ({ topicId: Number(topicId), no }))
        .filter(({ topicId }) => !only || topicId === only.id)
      const { version, undo, added, marked } = await reads.markUpTo(viewer, upTo)
      return { counts: await tell(viewer, version, spans(added), true), undo, marked }
    },

    async undoMarkAll(viewer: string, undo: string): Promise<UnreadCounts> {
      const undone = await reads.undo(viewer, undo)
      if (!undone) throw new AppError('UNDO_EXPIRED', 'This can no longer be undone.', { field: 'undo' })
      return tell(viewer, undone.version, undone.removed, false)
    },
  }
}

/** One range a topic: between what a "mark all" has marked everything else was read before. */
function spans(ranges: NumberRange[]): NumberRange[] {
  const found = new Map<number, NumberRange>()
  for (const { topicId, from, to } of ranges) {
    const span = found.get(topicId)
    found.set(topicId, { topicId, from: Math.min(span?.from ?? from, from), to: Math.max(span?.to ?? to, to) })
  }
  return [...found.values()]
}
