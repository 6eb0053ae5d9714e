// Read marks: a person's own, told to all their tabs and devices with the new counts.
import { randomUUID } from 'node:crypto'
import { AppError, noSuchTopic } from '#shared/errors.ts'
import type { ReadEvent, UnreadCounts } from '#shared/live-events.ts'
import type { ActivityStore, NumberRange, PersonalBus, ReadStore, ShortTermStore, TopicStore } from './ports.ts'

const UNDO_MS = 60_000

type Deps = {
  activities: Pick<ActivityStore, 'places'>
  reads: ReadStore
  topics: Pick<TopicStore, 'find'>
  bus: Pick<PersonalBus, 'send'>
  shortTerm: ShortTermStore
  /** The marks are stored; other tabs get them with their next connect. */
  onTellError: (error: unknown) => void
}

export type MarkRead = ReturnType<typeof createMarkRead>

export function createMarkRead({ activities, reads, topics, bus, shortTerm, onTellError }: Deps) {
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
    const ranges = places.map(({ topicId, no }) => ({ topicId, from: no, to: no }))
    const { version } = await reads.mark(viewer, ranges, read)
    return tell(viewer, version, ranges, read)
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
      const { version, added, marked } = await reads.markUpTo(viewer, upTo)
      const undo = randomUUID()
      await shortTerm.put(`undo:${viewer}:${undo}`, JSON.stringify(added), UNDO_MS)
      return { counts: await tell(viewer, version, added, true), undo, marked }
    },

    async undoMarkAll(viewer: string, undo: string): Promise<UnreadCounts> {
      const stored = await shortTerm.take(`undo:${viewer}:${undo}`)
      if (stored === null) throw new AppError('UNDO_EXPIRED', 'This can no longer be undone.', { field: 'undo' })
      const added = JSON.parse(stored) as NumberRange[]
      if (added.length === 0) return reads.counts(viewer)
      const { version } = await reads.mark(viewer, added, false)
      return tell(viewer, version, added, false)
    },
  }
}
