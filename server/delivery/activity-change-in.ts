// What an `update` of a topic says about one of its activities, if anything.
import type { ActivityChange } from '#shared/activity-change.ts'
import type { UpdateEvent } from '#shared/live-events.ts'

/** Most updates are about something else, which the text shows without being parsed. */
export function activityChangeIn(data: string): ActivityChange | null {
  if (!data.includes('"kind":"activity"')) return null
  const { change } = JSON.parse(data) as Partial<UpdateEvent>
  return change?.kind === 'activity' ? change : null
}
