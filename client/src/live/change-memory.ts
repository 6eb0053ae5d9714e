// What became of activities lately, so that a page that was already on its way when one was edited or deleted does not
// take it back, and an activity that arrives after its own deletion never shows. Bounded: the oldest are forgotten.
import { type ActivityChange, applyChange } from '#shared/activity-change.ts'
import type { FeedItem } from '#shared/feed.ts'

const MOST = 1_000

export function createChangeMemory() {
  const changes = new Map<number, ActivityChange>()
  return {
    /** Changes may come in any order and twice: what is gone stays gone, and of words the newest count. */
    hear(change: ActivityChange) {
      const known = changes.get(change.activity)
      const isNews = !known || (known.words !== null && (change.words === null || change.version > known.version))
      if (!isNews) return
      changes.delete(change.activity)
      changes.set(change.activity, change)
      if (changes.size > MOST) changes.delete(changes.keys().next().value!)
    },
    of: (id: number): ActivityChange | undefined => changes.get(id),
    /** The item as it is by now; null when it is gone, the same object when nothing newer is known. */
    bring<T extends FeedItem>(item: T): T | null {
      const change = changes.get(item.id)
      return change ? applyChange(item, change) : item
    },
  }
}
