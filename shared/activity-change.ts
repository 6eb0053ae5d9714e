// What becomes of an activity after it was published. Apart from activity.ts, whose schemas stay out of the page.
import type { Activity, Edited } from './activity.ts'

/** Who deleted it: its author, an owner of the topic, or nobody: it has left the window. */
export type Gone = 'author' | 'owner' | 'age'

/** The part of an activity that can change. */
export type Words = Pick<Activity, 'summary' | 'mentions'> & { edited: Edited }

/**
 * What became of an activity after it was published: other words, or nothing at all. Absolute and versioned, so that
 * neither order nor repetition matters; what is gone never comes back.
 */
export type ActivityChange = { kind: 'activity'; activity: number; no: number; version: number } & (
  | { words: Words; gone: null }
  /** `rang`: ids of people behind whose bell something was that is gone with it. */
  | { words: null; gone: Gone; rang: string[] }
)

/** The activity with a change applied; the same object when it knows better, null when it is gone. */
export function applyChange<T extends Activity>(activity: T, change: ActivityChange): T | null {
  if (change.words === null) return null
  return change.version > (activity.edited?.version ?? 0) ? { ...activity, ...change.words } : activity
}
