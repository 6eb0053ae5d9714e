// What was heard lately about conversations, so that a page that was already on its way when an event came does not take
// it back, and an activity that arrives after what was said about it starts with it. Bounded: the oldest are forgotten.
import { applyTalk, NO_TALK, newerTalk, type Talk, type TalkChange } from '#shared/talk.ts'

const MOST = 1_000

export type TalkMemory = ReturnType<typeof createTalkMemory>

export function createTalkMemory(viewer: string) {
  const talks = new Map<number, Talk>()

  function keep(id: number, talk: Talk) {
    talks.delete(id)
    talks.set(id, talk)
    if (talks.size > MOST) talks.delete(talks.keys().next().value!)
  }

  return {
    hear: (change: TalkChange) =>
      keep(change.activity, applyTalk(talks.get(change.activity) ?? NO_TALK, change, viewer)),
    /** An answer of the server about one conversation. */
    learn: (id: number, talk: Talk) => keep(id, newerTalk(talks.get(id) ?? NO_TALK, talk)),
    /** The item with what is known of it; the same object when nothing newer is. */
    bring<T extends { id: number; talk: Talk }>(item: T): T {
      const known = talks.get(item.id)
      const talk = known ? newerTalk(item.talk, known) : item.talk
      return talk === item.talk ? item : { ...item, talk }
    },
  }
}
