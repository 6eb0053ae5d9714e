// What a session's stream at the edge holds, read once. Events of topics are as the log has them, without a position;
// what concerns the person alone says its name.
import type { LiveEvent } from './live-event.ts'

type Item = { name?: string; body?: unknown; activity?: unknown; change?: unknown; gone?: true }

/** `gone`: the edge could not take it; the server has it. Null for what we do not know: a sign of life and nothing else. */
export function readEdgeItem(item: unknown): LiveEvent | 'gone' | null {
  if (typeof item !== 'object' || item === null) return null
  const { name, body, activity, change, gone } = item as Item
  if (gone === true) return 'gone'
  if (activity !== undefined) return { name: 'activity', id: null, body: item } as LiveEvent
  if (change !== undefined) return { name: 'update', id: null, body: item } as LiveEvent
  if (name === 'read' || name === 'unread' || name === 'bell' || name === 'control')
    return { name, id: null, body } as LiveEvent
  return null
}
