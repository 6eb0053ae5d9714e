import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { usePersonLive } from '../live/live-context.ts'
import { createReadOnView, type ReadOnView, SIGHT_THRESHOLDS } from './read-on-view.ts'

const timers = {
  set: (run: () => void, ms: number): unknown => setTimeout(run, ms),
  clear: (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

/** For rows: `watch(element, ...items)` while they are drawn. Made with the first row, which is drawn before its list. */
export function useReadOnView(scroller: RefObject<HTMLElement | null>) {
  const { mark } = usePersonLive()
  const view = useRef<ReadOnView | null>(null)
  useEffect(() => {
    const onChange = () => view.current?.shown()
    document.addEventListener('visibilitychange', onChange)
    return () => {
      document.removeEventListener('visibilitychange', onChange)
      view.current?.stop()
      view.current = null
    }
  }, [])
  return useCallback(
    (element: Element, ...items: readonly FeedItem[]) => {
      view.current ??= createReadOnView({
        observer: (onSight) =>
          new IntersectionObserver(onSight, { root: scroller.current, threshold: SIGHT_THRESHOLDS }),
        onRead: (items) => mark(items, true),
        isShown: () => document.visibilityState === 'visible',
        now: Date.now,
        timers,
      })
      return view.current.watch(element, ...items)
    },
    [scroller, mark],
  )
}
