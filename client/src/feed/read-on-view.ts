// What has been in front of somebody for a second counts as read. Watches rows with one IntersectionObserver and hands
// over all that are due together. A row is read this way once at most: whoever marks it unread again means it.
import type { FeedItem } from '#shared/feed.ts'

const VIEW_MS = 1_000
const HALF = 0.5

type Watched = { item: FeedItem; since: number | null }

type Deps = { root: Element; onRead: (items: FeedItem[]) => void; now: () => number }

export type ReadOnView = ReturnType<typeof createReadOnView>

export function createReadOnView({ root, onRead, now }: Deps) {
  const rows = new Map<Element, Watched>()
  const settled = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio, intersectionRect, rootBounds } of entries) {
        const row = rows.get(target)
        if (!row) continue
        // A row taller than the screen is never half visible; filling half of the screen is as good.
        const seen = intersectionRatio >= HALF || intersectionRect.height >= (rootBounds?.height ?? Infinity) * HALF
        row.since = seen ? (row.since ?? now()) : null
      }
      plan()
    },
    { root, threshold: [0, HALF / 2, HALF] },
  )

  function plan() {
    const waiting = [...rows.values()].flatMap(({ since }) => (since === null ? [] : [since]))
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0 && document.visibilityState === 'visible')
      timer = setTimeout(read, Math.max(0, Math.min(...waiting) + VIEW_MS - now()))
  }

  function read() {
    const due = [...rows].filter(([, { since }]) => since !== null && now() - since >= VIEW_MS)
    for (const [element, { item }] of due) {
      settled.add(item.id)
      forget(element)
    }
    if (due.length > 0) onRead(due.map(([, { item }]) => item))
    plan()
  }

  function forget(element: Element) {
    rows.delete(element)
    observer.unobserve(element)
  }

  // Nobody looks at a hidden page; the second starts over when it is shown.
  function onVisibility() {
    for (const row of rows.values()) if (row.since !== null) row.since = now()
    plan()
  }
  document.addEventListener('visibilitychange', onVisibility)

  return {
    /** Returns the end of watching. */
    watch(element: Element, item: FeedItem): () => void {
      if (item.read) settled.add(item.id)
      if (settled.has(item.id)) return () => {}
      rows.set(element, { item, since: null })
      observer.observe(element)
      return () => forget(element)
    },
    stop() {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', onVisibility)
    },
  }
}
