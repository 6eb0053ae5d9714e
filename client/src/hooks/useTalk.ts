import { useSyncExternalStore } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import type { Talk } from '#shared/talk.ts'
import { usePersonLive } from '../live/live-context.ts'
import { withWish } from '../live/reactor.ts'

/** What is said about an activity, with one's own reaction as one has just wished it. */
export function useTalk(item: FeedItem): Talk {
  const { reactor } = usePersonLive()
  const wish = useSyncExternalStore(reactor.subscribe, () => reactor.wish(item.id))
  return withWish(item.talk, wish)
}
