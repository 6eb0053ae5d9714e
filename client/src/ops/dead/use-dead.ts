// The list of dead letters as it is filtered, chosen from and paged through.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeadListInput } from '#shared/ops.ts'
import { type Outputs, trpc, trpcClient } from '../../lib/trpc.ts'

export type Letter = Outputs['ops']['dlq']['list']['letters'][number]
export type DeadFilter = Pick<DeadListInput, 'handler' | 'class' | 'olderThanSeconds'>

const EVERY_MS = 5_000

export function useDead(pageSize: number) {
  const [filter, setFilter] = useState<DeadFilter>({})
  /** As they were when they were chosen: what is done with them takes them out of the list. */
  const [selected, setSelected] = useState<readonly Letter[]>([])
  const query = useInfiniteQuery({
    queryKey: [...trpc.ops.dlq.list.pathKey(), filter, pageSize],
    queryFn: ({ pageParam, signal }) =>
      trpcClient.ops.dlq.list.query(
        { ...filter, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
        { signal, context: { alone: true } },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
    staleTime: 0,
    retry: false,
  })
  const letters = query.data?.pages.flatMap((page) => page.letters) ?? []

  return {
    filter,
    /** Another filter shows other letters: what was chosen among the old ones is let go. */
    setFilter: (next: DeadFilter) => {
      setFilter(next)
      setSelected([])
    },
    letters,
    depth: query.data?.pages.at(-1)?.depth ?? 0,
    more: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    loading: query.isPending,
    error: query.error,
    selected,
    toggle: (letter: Letter) =>
      setSelected((before) => {
        const others = before.filter(({ id }) => id !== letter.id)
        return others.length < before.length ? others : [...before, letter]
      }),
    selectOnly: (letter: Letter) => setSelected([letter]),
    selectAll: () => setSelected(letters),
    clear: () => setSelected([]),
  }
}

export const isFiltered = (filter: DeadFilter): boolean => Object.values(filter).some((value) => value !== undefined)
