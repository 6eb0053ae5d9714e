// Letting in what waits above the list: by a click or a key, which go to the newest of it and leave a line above what was
// first before; by itself when somebody comes back to the top, or has written something of their own.
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { mustStay } from './must-stay.ts'
import { indexOfItem, type Row, timeOf } from './rows.ts'
import { AT_TOP_PX } from './use-virtual-rows.ts'

export type Since = { id: number; at: number }

type Options = {
  rows: readonly Row[]
  held: readonly FeedItem[]
  release: () => void
  me: { id: string }
  scroller: RefObject<HTMLElement | null>
  setSince: (since: Since | null) => void
  goTo: (index: number) => void
}

export function useArrivals({ rows, held, release, me, scroller, setSince, goTo }: Options) {
  /** The newest of what is being let in, until its row is there to go to. */
  const awaited = useRef<number | null>(null)
  useLayoutEffect(() => {
    const index = indexOfItem(rows, awaited.current)
    if (index === null) return
    awaited.current = null
    goTo(index)
    scroller.current?.scrollTo({ top: 0 })
  })

  // What one has written oneself is never news that waits.
  const ownWaits = held.some(({ actor }) => actor.kind === 'person' && actor.id === me.id)
  useEffect(() => {
    if (ownWaits) release()
  }, [ownWaits, release])

  return {
    showNew() {
      const newest = held[0]
      const oldest = held.at(-1)
      if (!newest || !oldest) return
      const first = rows.find((row) => row.kind === 'item')
      awaited.current = newest.id
      setSince(first ? { id: first.item.id, at: timeOf(oldest).time } : null)
      release()
    },
    onScroll() {
      const list = scroller.current
      if (held.length > 0 && list && list.scrollTop <= AT_TOP_PX && !mustStay(list)) release()
    },
  }
}
