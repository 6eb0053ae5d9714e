// Draws only the rows near the screen, and keeps what is being read where it is: whatever changes above it, be it rows
// or the composer, the scroll position is corrected in the same frame. The row that has focus stays drawn.
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { Row } from './rows.ts'

/** So near to the top counts as being there. */
export const AT_TOP_PX = 8
const OVERSCAN = 6
const SIZES: Record<Row['kind'], number> = { item: 66, day: 34, since: 34 }

type Seen = { key: unknown; start: number }

/** `kept`: the index of a row that must stay drawn. */
export function useVirtualRows(rows: readonly Row[], kept: number | null) {
  const scroller = useRef<HTMLDivElement>(null)
  const above = useRef<HTMLDivElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => SIZES[rows[index]!.kind], [rows]),
    // Another function means that every key may have changed, which is costly to find out: only with other rows.
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    rangeExtractor: useCallback((range: Range) => withKept(defaultRangeExtractor(range), kept), [kept]),
    overscan: OVERSCAN,
    scrollMargin,
    scrollPaddingStart: AT_TOP_PX,
    scrollPaddingEnd: AT_TOP_PX,
  })

  useLayoutEffect(() => {
    const element = above.current
    if (!element) return
    let before = 0
    const observer = new ResizeObserver(() => {
      const height = element.offsetHeight
      const list = scroller.current
      if (list && list.scrollTop > before) list.scrollTop += height - before
      before = height
      setScrollMargin(height)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const drawn = useRef(rows)
  const seen = useRef<Seen[]>([])
  useLayoutEffect(() => {
    const list = scroller.current
    if (!list) return
    if (drawn.current !== rows && list.scrollTop > AT_TOP_PX) {
      const moved = movedBy(seen.current, rows, virtualizer.measurementsCache)
      if (moved !== 0) list.scrollTop += moved
    }
    drawn.current = rows
    seen.current = virtualizer.getVirtualItems().filter(({ start }) => start >= list.scrollTop)
  })

  return { scroller, above, virtualizer, scrollMargin }
}

function withKept(indexes: number[], kept: number | null): number[] {
  if (kept === null || indexes.includes(kept)) return indexes
  return [...indexes, kept].sort((a, b) => a - b)
}

/** How far the first row that was in sight, and still exists, has moved. */
function movedBy(seen: readonly Seen[], rows: readonly Row[], places: readonly { start: number }[]): number {
  for (const { key, start } of seen) {
    const index = rows.findIndex((row) => row.key === key)
    const place = index < 0 ? undefined : places[index]
    if (place) return place.start - start
  }
  return 0
}
