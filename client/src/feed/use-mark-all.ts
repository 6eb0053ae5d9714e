// "Mark all read": shown at once, taken back when the server refuses, undone on request. It covers what the reader was
// shown and no more, so it asks the list what is on the screen and what is still held above it.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { useUnreadCounts } from '../hooks/useUnreadCounts.ts'
import { errorBody, trpcClient } from '../lib/trpc.ts'
import { feedKey } from '../live/feed-cache.ts'
import { usePersonLive } from '../live/live-context.ts'
import type { FeedData, Mark, Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { useToast } from '../ui/toast.tsx'
import { shownUpTo } from './rows.ts'

const sentence = (error: unknown) => errorBody(error)?.message ?? feedTexts.failed.unreachable

const markOf = ({ topic, no }: FeedItem, read: boolean): Mark => ({ topic: topic.id, from: no, to: no, read })

export function useMarkAll(scope: Scope, topicId: number | undefined) {
  const { cache, mark, onCounts } = usePersonLive()
  const queryClient = useQueryClient()
  const counts = useUnreadCounts()
  const toast = useToast()
  const [undo, setUndo] = useState<(() => void) | null>(null)

  function done(marked: number, takeBack: () => void) {
    const run = () => {
      setUndo(null)
      takeBack()
    }
    setUndo(() => (marked > 0 ? run : null))
    const action = marked > 0 ? { action: { text: feedTexts.undo, run } } : {}
    toast.show({ text: feedTexts.marked(marked), ...action })
  }

  /** A list of mentions or of one kind: only what it shows, since the rest was never in front of anybody. */
  function markShown(items: FeedItem[]) {
    mark(items, true)
    const marked = items.map((item) => ({ ...item, read: true }))
    done(items.length, () => mark(marked, false))
  }

  async function markUpTo(upTo: Record<string, number>) {
    const unread = queryClient
      .getQueriesData<FeedData>({ queryKey: ['feed'] })
      .flatMap(([, data]) => data?.pages.flatMap((page) => page.items) ?? [])
      .filter((item) => !item.read && item.no <= (upTo[item.topic.id] ?? 0))
    const takeBack = () => cache.mark(unread.map((item) => markOf(item, false)))
    cache.mark(unread.map((item) => markOf(item, true)))
    try {
      const result = await trpcClient.activities.markAllRead.mutate({
        ...(scope.topic ? { topic: scope.topic } : {}),
        upTo,
      })
      onCounts(result.counts)
      done(result.marked, () => void undoUpTo(result.undo, takeBack))
    } catch (error) {
      takeBack()
      toast.show({ text: `${feedTexts.markFailed} ${sentence(error)}`, tone: 'bad' })
    }
  }

  async function undoUpTo(key: string, takeBack: () => void) {
    try {
      onCounts(await trpcClient.activities.undoMarkAll.mutate({ undo: key }))
      takeBack()
      toast.show({ text: feedTexts.undone })
    } catch (error) {
      toast.show({ text: sentence(error), tone: 'bad' })
    }
  }

  return {
    /** Until the next change of page; the server keeps it for a minute. */
    undo,
    markAll() {
      const pages = queryClient.getQueryData<FeedData>(feedKey(scope))?.pages ?? []
      if (scope.filter === 'mentions' || scope.verb !== undefined)
        return markShown(pages.flatMap((page) => page.items).filter((item) => !item.read))
      if (!counts) return
      const upTo = shownUpTo(counts.heads, pages, pages[0]?.held ?? [])
      const own = (id: string) => topicId === undefined || Number(id) === topicId
      void markUpTo(Object.fromEntries(Object.entries(upTo).filter(([id]) => own(id))))
    },
  }
}
