import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { usePersonLive } from '../live/live-context.ts'
import { createReadOnView, type ReadOnView } from './read-on-view.ts'

/** For rows: `watch(element, item)` while they are drawn. Made with the first row, which is drawn before its list. */
export function useReadOnView(scroller: RefObject<HTMLElement | null>) {
  const { mark } = usePersonLive()
  const view = useRef<ReadOnView | null>(null)
  useEffect(
    () => () => {
      view.current?.stop()
      view.current = null
    },
    [],
  )
  return useCallback(
    (element: Element, item: FeedItem) => {
      view.current ??= createReadOnView({
        root: scroller.current ?? document.body,
        onRead: (items) => mark(items, true),
        now: Date.now,
      })
      return view.current.watch(element, item)
    },
    [scroller, mark],
  )
}
