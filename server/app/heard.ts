// What an event of a topic says about counts and about who follows what.
import type { LogEvent } from '#shared/live-events.ts'
import type { Heard } from './topic-facts.ts'

export function heardOf({ kind, event }: LogEvent): Heard {
  const place = { topicId: event.topic, seq: event.seq }
  if (kind === 'activity') {
    const { no, actor, mentions } = event.activity
    return { ...place, kind: 'activity', no, mentions, actorId: actor.kind === 'person' ? actor.id : null }
  }
  const { change } = event
  if (change.kind !== 'activity') return { ...place, kind: 'other' }
  const { no, words } = change
  return words ? { ...place, kind: 'words', no, mentions: words.mentions } : { ...place, kind: 'gone', no }
}

/** Whose follows may be others after this event: one person's, everybody's (null), or nobody's (undefined). */
export function followsTouchedBy({ kind, event }: LogEvent): string | null | undefined {
  if (kind === 'activity') return undefined
  const { change } = event
  if (change.kind === 'member') return change.person.id
  return change.kind === 'settings' ? null : undefined
}
