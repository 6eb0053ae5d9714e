import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { useActivityStream } from '../hooks/useActivityStream.ts'
import { useMe } from '../lib/use-me.ts'
import type { Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { ActivityRow } from './activity-row.tsx'
import { buildRows } from './rows.ts'
import { dayName } from './when.ts'

export function FeedList({ scope, followed }: { scope: Scope; followed: boolean }) {
  const me = useMe()
  const scroller = useRef<HTMLDivElement>(null)
  const stream = useActivityStream(scope, { followed, mustStay: () => (scroller.current?.scrollTop ?? 0) > 8 })
  const now = Date.now()
  const rows = useMemo(
    () => buildRows({ pages: stream.pages, posts: [], now: Date.now(), since: null }),
    [stream.pages],
  )
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]!.kind === 'item' ? 64 : 34),
    getItemKey: (index) => rows[index]!.key,
    overscan: 8,
  })
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <div
        role="feed"
        aria-label={feedTexts.list}
        aria-busy={stream.loading || stream.loadingOlder}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]!
          return (
            <div
              key={key}
              data-index={index}
              ref={virtualizer.measureElement}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.kind === 'item' && <ActivityRow item={row.item} me={me} now={now} joined={row.joined} />}
              {row.kind === 'day' && <h2 className="px-8 py-2 text-12">{dayName(row.time, now).name}</h2>}
            </div>
          )
        })}
      </div>
    </div>
  )
}
