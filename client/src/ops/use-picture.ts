// What the console looks at, asked for again and again while it is open. A question that fails leaves the last answer on
// screen, and says since when it is the last.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TREND_MINUTES } from '#shared/ops-words.ts'
import { type Outputs, trpc } from '../lib/trpc.ts'

export type Picture = Outputs['ops']['overview']
export type Trends = Outputs['ops']['trends']
export type TrendMinutes = (typeof TREND_MINUTES)[number]

const PICTURE_EVERY_MS = 2_000
const TRENDS_EVERY_MS = 5_000
/** Each by itself: one that waits for a part that is down must not hold up the others. */
const ALONE = { trpc: { context: { alone: true } } }

export function usePicture() {
  const query = useQuery({
    ...trpc.ops.overview.queryOptions(undefined, ALONE),
    refetchInterval: PICTURE_EVERY_MS,
    staleTime: 0,
    retry: false,
  })
  return { picture: query.data, error: query.error, answeredAt: query.dataUpdatedAt, failing: query.failureCount > 0 }
}

export function useTrends(minutes: TrendMinutes): Trends | undefined {
  const query = useQuery({
    ...trpc.ops.trends.queryOptions({ minutes }, ALONE),
    refetchInterval: TRENDS_EVERY_MS,
    staleTime: 0,
    retry: false,
  })
  // While another span is on its way the one before stays.
  const [last, setLast] = useState(query.data)
  if (query.data && query.data !== last) setLast(query.data)
  return query.data ?? last
}
