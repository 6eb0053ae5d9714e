// The list of a feed: its rows, what waits above them, and what stands in their place while there are none. Arrivals are
// let in by themselves at the top; while somebody is in the middle of something they wait for a click.
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useActivityStream } from '../hooks/useActivityStream.ts'
import { useHidden } from '../hooks/useEditing.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { feedKey } from '../live/feed-cache.ts'
import { usePersonLive } from '../live/live-context.ts'
import { goneOf, type Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { ActivityRow } from './activity-row.tsx'
import { DayHeading, SinceLine } from './day-heading.tsx'
import { InPlaceOfRows, ListFoot } from './feed-states.tsx'
import { mustStay } from './must-stay.ts'
import { NewPill } from './new-pill.tsx'
import { NextUnread } from './next-unread.tsx'
import type { ThreadState } from './row-talk.tsx'
import { createRowBuilder, indexOfItem, neighbour, nextUnread, timeOf } from './rows.ts'
import { useAnnouncements } from './use-announcements.ts'
import { type Since, useArrivals } from './use-arrivals.ts'
import { useDay } from './use-day.ts'
import { useReadOnView } from './use-read-on-view.ts'
import { itemAt, useRowActions } from './use-row-actions.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useVirtualRows } from './use-virtual-rows.ts'
import { shortTime } from './when.ts'

/** Older rows are asked for when so many are left below the screen. */
const OLDER_BEFORE = 12

type Props = {
  scope: Scope
  /** False for a topic that is read without following it. */
  followed: boolean
  mayPost: boolean
  onAllKinds: () => void
  /** How many are unread here, as far as it is known, and a list of nothing else. */
  unread: number
  onUnread: () => void
  /** What scrolls away above the rows. */
  above: ReactNode
}

export function FeedList({ scope, followed, mayPost, onAllKinds, unread, onUnread, above }: Props) {
  const { me, cache } = usePersonLive()
  const now = useDay()
  const announcement = useAnnouncements(scope)
  const [since, setSince] = useState<Since | null>(null)
  const [selected, setSelected] = useState<number | null>(null)
  const [build] = useState(createRowBuilder)
  const [threads, setThreads] = useState<ReadonlyMap<number, ThreadState>>(() => new Map())
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set())
  const onGroup = useCallback((id: string, unfold: boolean) => {
    setOpen((before) => new Set([...before].filter((other) => other !== id).concat(unfold ? [id] : [])))
  }, [])
  const onThread = useCallback(
    (id: number, state: ThreadState) => setThreads((open) => new Map(open).set(id, state)),
    [],
  )

  const scroller = useRef<HTMLDivElement>(null)
  const stream = useActivityStream(scope, { followed, mustStay: () => mustStay(scroller.current) })
  const { held, release, hasOlder, loadOlder } = stream
  const rows = build({ pages: stream.pages, since, reader: me, open, hidden: useHidden() })
  const kept = indexOfItem(rows, selected)
  const view = useVirtualRows({ scroller, rows, kept, name: feedKey(scope).join('\n') })
  const { virtualizer, scrollMargin } = view
  const drawn = virtualizer.getVirtualItems()
  const watch = useReadOnView(scroller)
  const items = rows.findLast((row) => row.kind === 'item')?.place ?? 0

  // Only what comes while the list is in sight unfolds; a list that opens is simply there.
  const isOpen = useRef(false)
  useEffect(() => {
    if (drawn.length > 0) isOpen.current = true
  })
  const { isFresh } = stream
  const unfolds = useCallback((id: number) => isOpen.current && isFresh(id), [isFresh])

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
    onAbove: () => (held.length > 0 ? arrivals.showNew() : scroller.current?.scrollTo({ top: 0 })),
  })

  const arrivals = useArrivals({ rows, held, release, me, scroller, setSince, goTo: focus.go })
  const onClick = useRowActions({ rows, selected, move: focus.move, onThread })

  const toUnread = () => {
    const next = nextUnread(rows, kept ?? -1)
    if (next !== null) focus.go(next)
    else if (unread > 0) onUnread()
  }
  useShortcuts({ n: toUnread })
  const isUnreadInSight = drawn.some(({ index }) => itemAt(rows, index)?.read === false)

  const lastDrawn = drawn.at(-1)?.index ?? 0
  const wantsOlder = hasOlder && !stream.loadingOlder && !stream.olderFailed && lastDrawn >= rows.length - OLDER_BEFORE
  useEffect(() => {
    if (wantsOlder && rows.length > 0) loadOlder()
  }, [wantsOlder, rows.length, loadOlder])

  const tombs = rows.flatMap((row, index) => (row.kind === 'item' && goneOf(row.item) ? [index] : []))
  const left = tombs.some((tomb) => !drawn.some(({ index }) => index === tomb))
  useEffect(() => {
    if (!left) return
    const inSight = drawn.flatMap(({ index }) => itemAt(rows, index)?.id ?? [])
    cache.dropGone(feedKey(scope), new Set(inSight))
  })

  const firstItem = neighbour(rows, -1, 1)
  const oldest = itemAt(rows, neighbour(rows, rows.length, -1))
  return (
    <div
      ref={scroller}
      onScroll={arrivals.onScroll}
      className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
    >
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <div ref={view.above} className="flow-root">
        {above}
      </div>
      <NewPill held={held} onClick={arrivals.showNew} />
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
            {drawn.map(({ key, index, start, size }) => {
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
                        height={goneOf(row.item) ? size : null}
                        me={me}
                        now={now}
                        place={row.place}
                        size={hasOlder ? -1 : items}
                        joined={row.joined}
                        group={row.group}
                        inner={row.inner}
                        onGroup={onGroup}
                        selected={index === kept}
                        tabbable={kept === null ? index === firstItem : index === kept}
                        showTopic={scope.topic === undefined}
                        unfolds={unfolds}
                        thread={threads.get(row.item.id) ?? 'closed'}
                        onThread={onThread}
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
          {unread > 0 && !isUnreadInSight && <NextUnread onClick={toUnread} />}
        </>
      )}
    </div>
  )
}
