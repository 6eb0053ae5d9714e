import { useQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import type { UnreadCounts } from '#shared/live-events.ts'
import { trpc } from '../lib/trpc.ts'
import { usePersonLive } from '../live/live-context.ts'
import { currentCounts, newerCounts } from '../live/unread.ts'

/** Unread counts as of this moment: the server's, and what arrived since. Undefined until they are known. */
export function useUnreadCounts(): UnreadCounts | undefined {
  const { cache, me } = usePersonLive()
  const { data: base } = useQuery({
    ...trpc.activities.unreadCounts.queryOptions(),
    staleTime: Number.POSITIVE_INFINITY,
    // Answers may overtake each other, and what comes live is newer than both.
    structuralSharing: (known, next) => newerCounts(known as UnreadCounts | undefined, next as UnreadCounts),
  })
  const { data: topics } = useQuery(trpc.topics.list.queryOptions())
  const recent = useSyncExternalStore(cache.subscribe, cache.recentList)
  const deletions = useSyncExternalStore(cache.subscribe, cache.deletions)
  return useMemo(() => {
    const muted = new Set(topics?.flatMap((topic) => (topic.muted ? [topic.id] : [])))
    return base && currentCounts(base, recent, deletions, me, muted)
  }, [base, recent, deletions, me, topics])
}
