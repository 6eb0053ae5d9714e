import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useMemo } from 'react'
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

/**
 * A list of activities that stays live: pages by falling id, what waits to be let in, and the way to older ones. The
 * scope must be the same object as long as it means the same.
 */
export function useActivityStream(scope: Scope, { mustStay, followed }: Options) {
  const { cache } = usePersonLive()
  const query = useInfiniteQuery(feedOptions(cache, scope))
  const key = useMemo(() => feedKey(scope), [scope])
  const ask = useEffectEvent(mustStay)

  useEffect(() => cache.read(key, () => ask()), [cache, key])

  useEffect(() => {
    if (followed) return
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return
      cache.renewList(key).catch(() => {
        // What is shown stays true, and the next round asks again.
      })
    }, UNFOLLOWED_EVERY_MS)
    return () => clearInterval(timer)
  }, [cache, key, followed])

  const release = useCallback(() => cache.release(key), [cache, key])

  const { fetchNextPage } = query
  const loadOlder = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage])

  return {
    pages: query.data?.pages ?? NO_PAGES,
    held: query.data?.pages[0]?.held ?? NO_ITEMS,
    release,
    isFresh: cache.isFresh,
    /** Nothing to show yet. */
    loading: query.isPending,
    /** Waits for a network before it can ask. */
    paused: query.fetchStatus === 'paused',
    error: query.error,
    retry: () => void query.refetch(),
    hasOlder: query.hasNextPage,
    loadingOlder: query.isFetchingNextPage,
    olderFailed: query.isFetchNextPageError,
    loadOlder,
  }
}
