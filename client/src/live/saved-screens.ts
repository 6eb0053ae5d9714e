// The last feed, shown at once on the next visit and without a network: saves the newest page of each list with topics
// and counts a moment after they change, and puts them back before the first paint.
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { dropGone, type FeedData, release } from './merge.ts'
import { load, save } from './saved.ts'

const SAVE_AFTER_MS = 1_000
const LISTS_MAX = 8

type SavedScreens = { entries: [QueryKey, unknown][]; savedAt: number }

/** What of a list is worth keeping: its newest page, with nothing held back. */
export function worthSaving(data: FeedData): FeedData {
  const { pages, pageParams } = dropGone(release(data), new Set())
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) }
}

export function snapshotOf(queryClient: QueryClient, others: readonly QueryKey[]): [QueryKey, unknown][] {
  const lists = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['feed'] })
    .filter((query) => query.state.data !== undefined)
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .slice(0, LISTS_MAX)
    .map((query): [QueryKey, unknown] => [query.queryKey, worthSaving(query.state.data as FeedData)])
  const rest = others
    .map((key): [QueryKey, unknown] => [key, queryClient.getQueryData(key)])
    .filter(([, data]) => data !== undefined)
  return [...lists, ...rest]
}

/** Puts saved screens back where nothing newer is; they count as old, so that they are asked for again. */
export async function restoreScreens(queryClient: QueryClient, person: string): Promise<void> {
  const saved = await load<SavedScreens>(person, 'screens')
  for (const [key, data] of saved?.entries ?? []) {
    if (queryClient.getQueryData(key) === undefined) queryClient.setQueryData(key, data, { updatedAt: 1 })
  }
}

/** Keeps saving until the returned function is called. */
export function keepScreens(queryClient: QueryClient, person: string, others: readonly QueryKey[]): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const entries = snapshotOf(queryClient, others)
    if (entries.length > 0) void save(person, 'screens', { entries, savedAt: Date.now() } satisfies SavedScreens)
  }
  const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') timer ??= setTimeout(write, SAVE_AFTER_MS)
  })
  const onHide = () => {
    if (timer !== undefined) write()
  }
  addEventListener('pagehide', onHide)
  return () => {
    unsubscribe()
    clearTimeout(timer)
    removeEventListener('pagehide', onHide)
  }
}
