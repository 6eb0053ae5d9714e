// Leaves a notice for everybody who was mentioned and may see the activity now. Repeating it changes nothing.
import type { DeliveryEntry, MentionNotices } from '#server/app/delivery-ports.ts'
import { PermanentFailure } from '#server/domain/delivery/failure.ts'
import type { ActivityEvent } from '#shared/live-events.ts'
import { activityChangeIn } from '../activity-change-in.ts'
import { DONE, type Handler, type Outcome } from '../handler.ts'

type Mention = Parameters<MentionNotices['add']>[0][number]

export function createMentionsHandler(notices: MentionNotices): Handler {
  return {
    name: 'mentions',
    async handle(entries) {
      const mentions: Mention[] = []
      const outcomes = entries.map((entry): Outcome => {
        try {
          mentions.push(...mentionsIn(entry))
          return DONE
        } catch (error) {
          return { is: 'failed', error }
        }
      })
      await notices.add(mentions)
      return outcomes
    },
  }
}

function mentionsIn({ kind, topicId, data }: DeliveryEntry): Mention[] {
  if (kind === 'update') {
    const change = activityChangeIn(data)
    return (change?.words?.mentions ?? []).map((handle) => ({ activityId: change!.activity, topicId, handle }))
  }
  // Most activities mention nobody, which the text shows without being parsed.
  if (data.includes('"mentions":[]')) return []
  const { activity } = readActivity(data)
  return activity.mentions.map((handle) => ({ activityId: activity.id, topicId, handle }))
}

export function readActivity(data: string): ActivityEvent {
  try {
    const event = JSON.parse(data) as Partial<ActivityEvent>
    if (typeof event.activity?.id !== 'number' || !Array.isArray(event.activity.mentions))
      throw new TypeError('no activity')
    return event as ActivityEvent
  } catch (error) {
    throw new PermanentFailure('This entry is not an activity.', { cause: error })
  }
}
