// Draws only the rows near the screen, and keeps what is being read where it is: whatever changes above it, be it rows
// or the composer, the scroll position is corrected in the same frame. The row that has focus stays drawn. Whoever goes
// back to a list finds it where they left it.
import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useAddress } from '../lib/address.tsx'
import type { Row } from './rows.ts'
import { keepPlace, placeIn } from './scroll-memory.ts'

/** So near to the top counts as being there. */
export const AT_TOP_PX = 8
const OVERSCAN = 6
const SIZES: Record<Row['kind'], number> = { item: 66, day: 34, since: 34 }

const NOTHING_MEASURED: VirtualItem[] = []

/** A row on the screen: its place in the list, and below the top of the screen. */
type Seen = Pick<VirtualItem, 'key' | 'start'> & { distancePx: number }

type Options = {
  scroller: RefObject<HTMLDivElement | null>
  rows: readonly Row[]
  /** The index of a row that must stay drawn. */
  kept: number | null
  /** The list's name, by which one finds back to where one was. */
  name: string
}

export function useVirtualRows({ scroller, rows, kept, name }: Options) {
  const above = useRef<HTMLDivElement>(null)
  const [aboveHeight, setAboveHeight] = useState<number | null>(null)
  const scrollMargin = aboveHeight ?? 0
  const { isBack } = useAddress()
  const [place] = useState(() => (isBack ? placeIn(name) : undefined))

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => SIZES[rows[index]!.kind], [rows]),
    // Another function means that every key may have changed, which is costly to find out: only with other rows.
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    rangeExtractor: useCallback((range: Range) => withKept(defaultRangeExtractor(range), kept), [kept]),
    overscan: OVERSCAN,
    initialMeasurementsCache: place?.measured ?? NOTHING_MEASURED,
    scrollMargin,
    scrollPaddingStart: AT_TOP_PX,
    scrollPaddingEnd: AT_TOP_PX,
  })

  useLayoutEffect(() => {
    const element = above.current
    if (!element) return
    let before = element.offsetHeight
    setAboveHeight(before)
    const observer = new ResizeObserver(() => {
      const height = element.offsetHeight
      const list = scroller.current
      if (list && list.scrollTop > before) list.scrollTop += height - before
      before = height
      setAboveHeight(height)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])

  const drawn = useRef(rows)
  const seen = useRef<Seen[]>([])
  const placed = useRef(place === undefined)
  useLayoutEffect(() => {
    const list = scroller.current
    if (!list) return
    if (drawn.current !== rows && list.scrollTop > AT_TOP_PX) {
      const moved = movedBy(seen.current, rows, (index) => virtualizer.measurementsCache[index]!.start - scrollMargin)
      if (moved !== 0) list.scrollTop += moved
    }
    if (!placed.current && place && rows.length > 0 && aboveHeight !== null) {
      const index = rows.findIndex((row) => row.key === place.row)
      const top = index < 0 ? 0 : virtualizer.measurementsCache[index]!.start - place.distancePx
      // Rows above are still being measured until the virtualizer has heard of the new position.
      placed.current = index < 0 || Math.abs((virtualizer.scrollOffset ?? 0) - top) < 1
      if (!placed.current) {
        list.scrollTop = top
        // The list has become too short for it.
        if (Math.abs(list.scrollTop - top) > 1) placed.current = true
      }
    }
    drawn.current = rows
    seen.current = virtualizer
      .getVirtualItems()
      .filter(({ start }) => start >= list.scrollTop)
      .map(({ key, start }) => ({ key, start: start - scrollMargin, distancePx: start - list.scrollTop }))
  })

  useLayoutEffect(() => {
    const list = scroller.current
    return () => {
      // Drawn once more after this (React's strict mode), the list starts at its top again.
      placed.current = place === undefined
      const row = seen.current[0]
      const isAway = list !== null && row !== undefined && list.scrollTop > AT_TOP_PX
      keepPlace(
        name,
        isAway ? { row: row.key, distancePx: row.distancePx, measured: virtualizer.measurementsCache } : null,
      )
    }
  }, [scroller, name, place, virtualizer])

  return { above, virtualizer, scrollMargin }
}

function withKept(indexes: number[], kept: number | null): number[] {
  if (kept === null || indexes.includes(kept)) return indexes
  return [...indexes, kept].sort((a, b) => a - b)
}

/** How far the first row that was in sight, and still exists, has moved. */
function movedBy(seen: readonly Seen[], rows: readonly Row[], startOf: (index: number) => number): number {
  for (const { key, start } of seen) {
    const index = rows.findIndex((row) => row.key === key)
    if (index >= 0) return startOf(index) - start
  }
  return 0
}
