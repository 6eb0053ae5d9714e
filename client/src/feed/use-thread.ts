// The comments on one activity, live, with one's own words that are on their way. One keeper of threads per signed-in
// page, made with the first thread that is opened.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { queryClient } from '../lib/query-client.ts'
import { errorBody, trpcClient } from '../lib/trpc.ts'
import { usePersonLive } from '../live/live-context.ts'
import type { PersonLive } from '../live/person-live.ts'
import { shownCount, viewThread } from '../live/thread.ts'
import { createThreads, type Sent, type Threads, threadKey, withChanges } from '../live/threads.ts'
import { threadTexts } from '../texts/thread.ts'

/** How often is asked where no live event reaches: a topic that one reads without following it. */
const UNFOLLOWED_EVERY_MS = 30_000

const keepers = new WeakMap<PersonLive, Threads>()

function threadsOf(live: PersonLive): Threads {
  const known = keepers.get(live)
  if (known) return known
  const { comments } = trpcClient.activities
  const sent = async (call: Promise<Extract<Sent, { ok: true }>['said']>): Promise<Sent> => {
    try {
      return { ok: true, said: await call }
    } catch (error) {
      return { ok: false, message: errorBody(error)?.message ?? threadTexts.unreachable }
    }
  }
  const threads = createThreads({
    queryClient,
    onTalk: live.cache.onTalk,
    learnTalk: live.cache.learnTalk,
    list: (activity, cursor) => comments.list.query({ activity, cursor }),
    add: ({ key, ...words }) => sent(comments.add.mutate({ ...words, idempotencyKey: key })),
    edit: (id, text) => sent(comments.edit.mutate({ id, text })),
    remove: (id) => sent(comments.remove.mutate({ id })),
    newKey: () => crypto.randomUUID(),
    onRefused: live.onRefused,
  })
  keepers.set(live, threads)
  return threads
}

export function useThread(item: FeedItem) {
  const live = usePersonLive()
  const threads = threadsOf(live)
  const followed = live.cache.follows()?.has(item.topic.id) ?? true
  const query = useQuery({
    queryKey: threadKey(item.id),
    queryFn: () => threads.open(item.id),
    staleTime: followed ? Number.POSITIVE_INFINITY : 0,
    refetchInterval: followed ? false : UNFOLLOWED_EVERY_MS,
    structuralSharing: false,
  })
  const { pending, changes } = useSyncExternalStore(threads.subscribe, threads.state)
  const { data } = query
  const views = useMemo(() => (data ? viewThread(withChanges(data, changes)) : null), [data, changes])
  return {
    threads,
    /** Null until they are known. */
    views,
    changes,
    pending: pending.filter(({ activity }) => activity === item.id),
    /** How many there are before those shown. */
    earlier: data && data.cursor !== null && views ? Math.max(0, item.talk.comments - shownCount(views)) : 0,
    hasEarlier: data ? data.cursor !== null : false,
    failed: query.isError,
    retry: () => void query.refetch(),
  }
}
