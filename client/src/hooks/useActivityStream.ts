import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { feedKey } from '../live/feed-cache.ts'
import { feedOptions } from '../live/feed-options.ts'
import { usePersonLive } from '../live/live-context.ts'
import type { Scope, ShownPage } from '../live/merge.ts'

const NO_ITEMS: readonly FeedItem[] = []
const NO_PAGES: readonly ShownPage[] = []
/** How often a list is asked for that no live event reaches: a topic that one reads without following it. */
const UNFOLLOWED_EVERY_MS = 30_000

type Options = {
  /** Asked before arrivals are shown: must the rows stay where they are? */
  mustStay: () => boolean
  /** False for a list that live events do not reach. */
  followed: boolean
}

/** A list of activities that stays live: pages by falling id, what waits to be let in, and the way to older ones. */
export function useActivityStream(scope: Scope, { mustStay, followed }: Options) {
  const { cache } = usePersonLive()
  const query = useInfiniteQuery(feedOptions(cache, scope))
  const key = feedKey(scope).join('\n')
  const ask = useEffectEvent(mustStay)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the scope.
  useEffect(() => cache.read(feedKey(scope), () => ask()), [cache, key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the scope.
  useEffect(() => {
    if (followed) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void cache.renewList(feedKey(scope)).catch(() => {})
    }, UNFOLLOWED_EVERY_MS)
    return () => clearInterval(timer)
  }, [cache, key, followed])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the scope.
  const release = useCallback(() => cache.release(feedKey(scope)), [cache, key])

  return {
    pages: query.data?.pages ?? NO_PAGES,
    held: query.data?.pages[0]?.held ?? NO_ITEMS,
    release,
    isFresh: cache.isFresh,
    /** Nothing to show yet. */
    loading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    hasOlder: query.hasNextPage,
    loadingOlder: query.isFetchingNextPage,
    olderFailed: query.isFetchNextPageError,
    loadOlder: () => void query.fetchNextPage(),
  }
}
