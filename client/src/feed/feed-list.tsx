// The list of a feed: its rows, what waits above them, and what stands in their place while there are none. Arrivals are
// let in by themselves at the top; while somebody is in the middle of something they wait for a click.
import { type MouseEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useActivityStream } from '../hooks/useActivityStream.ts'
import { openComposer } from '../hooks/useComposer.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { feedKey } from '../live/feed-cache.ts'
import { usePersonLive } from '../live/live-context.ts'
import type { Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { ActivityRow } from './activity-row.tsx'
import { DayHeading, SinceLine } from './day-heading.tsx'
import { InPlaceOfRows, ListFoot } from './feed-states.tsx'
import { mainUrl } from './headline.ts'
import { mustStay } from './must-stay.ts'
import { NewPill } from './new-pill.tsx'
import { openOut } from './row-actions.tsx'
import { createRowBuilder, indexOfItem, neighbour, timeOf } from './rows.ts'
import { useAnnouncements } from './use-announcements.ts'
import { useDay } from './use-day.ts'
import { useReadOnView } from './use-read-on-view.ts'
import { itemIdOf, useRowFocus } from './use-row-focus.ts'
import { AT_TOP_PX, useVirtualRows } from './use-virtual-rows.ts'
import { shortTime } from './when.ts'

/** Older rows are asked for when so many are left below the screen. */
const OLDER_BEFORE = 12

type Props = {
  scope: Scope
  /** False for a topic that is read without following it. */
  followed: boolean
  mayPost: boolean
  onAllKinds: () => void
  /** What scrolls away above the rows. */
  above: ReactNode
}

export function FeedList({ scope, followed, mayPost, onAllKinds, above }: Props) {
  const { me, mark } = usePersonLive()
  const now = useDay()
  const announcement = useAnnouncements(scope)
  const [since, setSince] = useState<{ id: number; at: number } | null>(null)
  const [selected, setSelected] = useState<number | null>(null)
  const [build] = useState(createRowBuilder)

  const stay = useRef<HTMLElement>(null)
  const stream = useActivityStream(scope, { followed, mustStay: () => mustStay(stay.current) })
  const { held, release, hasOlder, loadOlder } = stream
  const rows = build({ pages: stream.pages, since })
  const kept = indexOfItem(rows, selected)
  const view = useVirtualRows({ rows, kept, name: feedKey(scope).join('\n') })
  const { scroller, virtualizer, scrollMargin } = view
  const drawn = virtualizer.getVirtualItems()
  const watch = useReadOnView(scroller)
  const items = rows.findLast((row) => row.kind === 'item')?.place ?? 0

  useLayoutEffect(() => {
    stay.current = scroller.current
  }, [scroller])

  // Only what comes while the list is in sight unfolds; a list that opens is simply there.
  const isOpen = useRef(false)
  useEffect(() => {
    if (drawn.length > 0) isOpen.current = true
  })
  const { isFresh } = stream
  const unfolds = useCallback((id: number) => isOpen.current && isFresh(id), [isFresh])

  /** The newest of what is being let in, until its row is there to go to. */
  const awaited = useRef<number | null>(null)
  function showNew() {
    const first = rows.find((row) => row.kind === 'item')
    awaited.current = held[0]?.id ?? null
    setSince(first && held.length > 0 ? { id: first.item.id, at: timeOf(held.at(-1)!).time } : null)
    release()
  }

  const focus = useRowFocus({
    rows,
    scroller,
    selected,
    setSelected,
    scrollToIndex: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    firstSeen: () => {
      const top = scroller.current?.scrollTop ?? 0
      return drawn.find(({ index, start }) => start >= top && rows[index]?.kind === 'item')?.index ?? null
    },
    onAbove: () => (held.length > 0 ? showNew() : scroller.current?.scrollTo({ top: 0 })),
  })

  useLayoutEffect(() => {
    if (awaited.current === null) return
    const index = indexOfItem(rows, awaited.current)
    if (index === null) return
    awaited.current = null
    focus.go(index)
    scroller.current?.scrollTo({ top: 0 })
  })

  // What one has written oneself is never news that waits.
  const ownHeld = held.some(({ actor }) => actor.kind === 'person' && actor.id === me.id)
  useEffect(() => {
    if (ownHeld) release()
  }, [ownHeld, release])

  const lastDrawn = drawn.at(-1)?.index ?? 0
  const wantsOlder = hasOlder && !stream.loadingOlder && !stream.olderFailed && lastDrawn >= rows.length - OLDER_BEFORE
  useEffect(() => {
    if (wantsOlder && rows.length > 0) loadOlder()
  }, [wantsOlder, rows.length, loadOlder])

  const itemAt = (index: number | null) => {
    const row = index === null ? undefined : rows[index]
    return row?.kind === 'item' ? row.item : null
  }
  useShortcuts({
    j: () => focus.move(1),
    k: () => focus.move(-1),
    c: openComposer,
    m: () => {
      const item = itemAt(kept)
      if (item) mark([item], !item.read)
    },
    Enter: (event) => {
      const item = itemAt(kept)
      // On a link or button inside the row, Enter is that one's.
      if (!item || !(event.target instanceof HTMLElement) || event.target.dataset.item !== String(item.id)) return false
      mark([item], true)
      const url = mainUrl(item)
      if (url) openOut(url)
      else event.target.querySelector<HTMLElement>('[data-fold]')?.click()
      return true
    },
  })

  const onClick = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('[role="toolbar"]')) return
    const item = itemAt(indexOfItem(rows, itemIdOf(target)))
    if (item) mark([item], true)
  }

  const firstItem = neighbour(rows, -1, 1)
  const oldest = itemAt(neighbour(rows, rows.length, -1))
  return (
    <div
      ref={scroller}
      onScroll={({ currentTarget }) => {
        if (held.length > 0 && currentTarget.scrollTop <= AT_TOP_PX && !mustStay(currentTarget)) release()
      }}
      className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
    >
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <div ref={view.above} className="flow-root">
        {above}
      </div>
      <NewPill held={held} onClick={showNew} />
      {rows.length === 0 && (
        <InPlaceOfRows stream={stream} scope={scope} followed={followed} onAllKinds={onAllKinds} mayPost={mayPost} />
      )}
      {rows.length > 0 && (
        <>
          <div
            role="feed"
            aria-label={feedTexts.list}
            aria-busy={stream.loadingOlder}
            onClick={onClick}
            onKeyDown={focus.onKeyDown}
            {...focus.handlers}
            className="relative"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {drawn.map(({ key, index, start }) => {
              const row = rows[index]
              return (
                row && (
                  <div
                    key={key}
                    data-index={index}
                    ref={virtualizer.measureElement}
                    className="absolute inset-x-0 top-0"
                    style={{ transform: `translateY(${start - scrollMargin}px)` }}
                  >
                    {row.kind === 'day' && <DayHeading time={row.time} now={now} />}
                    {row.kind === 'since' && <SinceLine at={row.at} />}
                    {row.kind === 'item' && (
                      <ActivityRow
                        item={row.item}
                        me={me}
                        now={now}
                        place={row.place}
                        size={hasOlder ? -1 : items}
                        joined={row.joined}
                        selected={row.item.id === selected}
                        tabbable={kept === null ? index === firstItem : index === kept}
                        showTopic={scope.topic === undefined}
                        unfolds={unfolds}
                        watch={watch}
                      />
                    )}
                  </div>
                )
              )
            })}
          </div>
          <ListFoot
            hasOlder={hasOlder}
            failed={stream.olderFailed || (stream.loadingOlder && stream.paused)}
            downTo={oldest ? shortTime(timeOf(oldest).time, now) : ''}
            onRetry={loadOlder}
          />
        </>
      )}
    </div>
  )
}
