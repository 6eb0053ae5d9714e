// What one connection may not do: tell the same event twice, or tell again what the reader said to have. Whatever else
// comes twice (a page that is newer than the stream, a catch-up beside it) does so by design and is not counted.
import { covers } from './coverage.ts'
import type { LiveEvent } from './live-event.ts'

export type StreamWatch = { after: string | null; last: ReadonlyMap<number, number> }
export type Watched = { watch: StreamWatch; repeats: number }

export const watchFrom = (after: string | null): StreamWatch => ({ after, last: new Map() })

export function watchEvent(watch: StreamWatch, event: LiveEvent): Watched {
  if (event.name !== 'activity' && event.name !== 'update') return { watch, repeats: 0 }
  const { topic, seq } = event.body
  const known = watch.last.get(topic)
  if ((known !== undefined && seq <= known) || covers(watch.after, event.id)) return { watch, repeats: 1 }
  return { watch: { ...watch, last: new Map(watch.last).set(topic, seq) }, repeats: 0 }
}
