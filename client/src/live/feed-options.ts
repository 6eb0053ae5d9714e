// How a list is asked for. Live events keep it up to date, so it never grows stale by time; and since only the pages
// that change are copied, comparing old and new deeply would cost more than it saves.
import { infiniteQueryOptions } from '@tanstack/react-query'
import { type FeedCache, feedKey } from './feed-cache.ts'
import { FIRST_PAGE, nextPageParam, type Scope, type ShownPage } from './merge.ts'

export const feedOptions = (cache: FeedCache, scope: Scope) =>
  infiniteQueryOptions({
    queryKey: feedKey(scope),
    queryFn: ({ pageParam, signal }): Promise<ShownPage> => cache.page(scope, pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _, param) => nextPageParam(last, param),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
    structuralSharing: false,
  })
