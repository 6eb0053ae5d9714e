// What became of an activity after it was published: its author or an owner of the topic gives it other words, or deletes
// it. Stored with its event in one transaction; the event then takes the way of every event of the topic.
import { mentionedHandles } from '#shared/activity.ts'
import type { ActivityChange } from '#shared/activity-change.ts'
import { AppError, noSuchActivity } from '#shared/errors.ts'
import type { OutboxEvent } from './log-ports.ts'
import type { ActivityChanges, EditOutcome } from './ports.ts'

type Deps = { changes: ActivityChanges; handToLog: (events: OutboxEvent[]) => void }

export type ChangeActivity = ReturnType<typeof createChangeActivity>

export function createChangeActivity({ changes, handToLog }: Deps) {
  function settle(result: EditOutcome): ActivityChange {
    switch (result.outcome) {
      case 'hidden':
        throw noSuchActivity()
      case 'denied':
        throw new AppError('NOT_ALLOWED', 'Only its author and owners of the topic may change an activity.')
      case 'unchanged':
        return result.change
      case 'changed': {
        const { topicId, seq, change } = result
        handToLog([{ topicId, seq, log: { kind: 'update', event: { topic: topicId, seq, change } } }])
        return change
      }
    }
  }

  return {
    edit: async (actor: string, { id, summary }: { id: number; summary: string }): Promise<ActivityChange> =>
      settle(await changes.rewrite(actor, id, { summary, mentions: mentionedHandles(summary) })),
    /** Deleting again what one has deleted answers the same. */
    remove: async (actor: string, id: number): Promise<ActivityChange> => settle(await changes.remove(actor, id)),
  }
}
