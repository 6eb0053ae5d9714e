// Search while somebody types: the address holds what is searched for, a moment behind the field. A request whose words
// are no longer wanted is cancelled, so that a slow old answer never stands under new words.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useAddress } from '../lib/address.tsx'
import { places } from '../lib/places.ts'
import { trpcClient } from '../lib/trpc.ts'

/** Long enough that fast typing asks once, short enough to feel at once. */
const PAUSE_MS = 150

export function useTyped(field: RefObject<HTMLInputElement | null>) {
  const { search, isBack } = useAddress()
  const [, navigate] = useLocation()
  const q = new URLSearchParams(search).get('q')?.trim() ?? ''
  const [typed, setTyped] = useState(q)

  // The field follows the address when somebody goes back or follows a link, but never while they type ahead of it.
  useEffect(() => {
    if (isBack || document.activeElement !== field.current) setTyped(q)
  }, [q, isBack, field])

  const wanted = typed.trim()
  useEffect(() => {
    if (wanted === q) return
    const timer = setTimeout(() => navigate(places.search(wanted), { replace: true }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [wanted, q, navigate])

  return { q, typed, setTyped }
}

export function useSearch(q: string) {
  return useInfiniteQuery({
    queryKey: ['search', q],
    queryFn: ({ pageParam, signal }) =>
      // Alone: a request that others share cannot be cancelled.
      trpcClient.search.query.query({ q, cursor: pageParam }, { signal, context: { alone: true } }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
}
