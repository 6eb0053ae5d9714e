// What has been in front of somebody for a second counts as read. Is told which rows are in sight, and hands over all
// that are due together. A row is read this way once at most: whoever marks it unread again means it.
import type { FeedItem } from '#shared/feed.ts'
import type { Timers } from '../live/event-stream.ts'

export const VIEW_MS = 1_000
const HALF = 0.5

/** What an IntersectionObserver says of a row. */
export type Sight = Pick<IntersectionObserverEntry, 'target' | 'intersectionRatio'> & {
  intersectionRect: { height: number }
  rootBounds: { height: number } | null
}

type Deps = {
  /** Starts telling what is in sight; the thresholds that matter are `SIGHT_THRESHOLDS`. */
  observer: (
    onSight: (sights: readonly Sight[]) => void,
  ) => Pick<IntersectionObserver, 'observe' | 'unobserve' | 'disconnect'>
  onRead: (items: FeedItem[]) => void
  isShown: () => boolean
  now: () => number
  timers: Timers
}

export const SIGHT_THRESHOLDS = [0, HALF / 2, HALF]

export type ReadOnView = ReturnType<typeof createReadOnView>

/** A row taller than the screen is never half visible; filling half of the screen is as good. */
const isSeen = ({ intersectionRatio, intersectionRect, rootBounds }: Sight): boolean =>
  intersectionRatio >= HALF || (rootBounds !== null && intersectionRect.height >= rootBounds.height * HALF)

export function createReadOnView({ observer: startObserver, onRead, isShown, now, timers }: Deps) {
  const rows = new Map<Element, { items: readonly FeedItem[]; since: number | null }>()
  const settled = new Set<number>()
  let timer: unknown

  const observer = startObserver((sights) => {
    for (const sight of sights) {
      const row = rows.get(sight.target)
      if (row) row.since = isSeen(sight) ? (row.since ?? now()) : null
    }
    plan()
  })

  function plan() {
    timers.clear(timer)
    const waiting = [...rows.values()].flatMap(({ since }) => (since === null ? [] : [since]))
    if (waiting.length > 0 && isShown()) timer = timers.set(read, Math.max(0, Math.min(...waiting) + VIEW_MS - now()))
  }

  function read() {
    const due = [...rows].filter(([, { since }]) => since !== null && now() - since >= VIEW_MS)
    for (const [element, { items }] of due) {
      for (const { id } of items) settled.add(id)
      forget(element)
    }
    if (due.length > 0) onRead(due.flatMap(([, { items }]) => items))
    plan()
  }

  function forget(element: Element) {
    rows.delete(element)
    observer.unobserve(element)
  }

  return {
    /** Several for a row that stands for all of them. Returns the end of watching. */
    watch(element: Element, ...all: readonly FeedItem[]): () => void {
      for (const { id, read } of all) if (read) settled.add(id)
      const items = all.filter(({ id }) => !settled.has(id))
      if (items.length === 0) return () => {}
      rows.set(element, { items, since: null })
      observer.observe(element)
      return () => forget(element)
    },
    /** The page was hidden or shown. Nobody looks at a hidden page, so the second starts over. */
    shown() {
      for (const row of rows.values()) if (row.since !== null) row.since = now()
      plan()
    },
    stop() {
      timers.clear(timer)
      observer.disconnect()
    },
  }
}
