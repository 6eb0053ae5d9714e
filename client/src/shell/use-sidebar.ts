// What the sidebar lists: where one is, followed and muted topics by name, and the counts beside them.
import { useQuery } from '@tanstack/react-query'
import type { TopicView } from '#shared/topic.ts'
import { useUnreadCounts } from '../hooks/useUnreadCounts.ts'
import { useAddress } from '../lib/address.tsx'
import { places } from '../lib/places.ts'
import { trpcClient } from '../lib/trpc.ts'
import { useTopics } from '../topics/use-topics.ts'

const MENTIONS_LOOKED_AT = 50

/** Ids of topics in which one is mentioned and has not read it. Asked again only when the number of mentions changes. */
function useMentionedTopics(mentions: number): Set<number> {
  const { data } = useQuery({
    queryKey: ['mentioned-topics', mentions],
    queryFn: async () => {
      const page = await trpcClient.activities.getFeed.query({ filter: 'mentions', limit: MENTIONS_LOOKED_AT })
      return page.items.filter((item) => !item.read).map((item) => item.topic.id)
    },
    enabled: mentions > 0,
    placeholderData: (before: number[] | undefined) => before,
  })
  return new Set(mentions > 0 ? data : [])
}

export type SidebarTopic = TopicView & { unread: number; mentioned: boolean; here: boolean }

const byName = (a: TopicView, b: TopicView) => a.name.localeCompare(b.name, 'en')

export function useSidebar() {
  const { data: topics } = useTopics()
  const counts = useUnreadCounts()
  const mentioned = useMentionedTopics(counts?.mentions ?? 0)
  const { pathname, search } = useAddress()

  const followed: SidebarTopic[] = (topics ?? [])
    .filter((topic) => topic.following)
    .sort(byName)
    .map((topic) => ({
      ...topic,
      unread: counts?.topics[topic.id] ?? 0,
      mentioned: mentioned.has(topic.id),
      here: pathname === `/t/${topic.name}` || pathname === `/t/${topic.name}/settings`,
    }))
  const atMentions = pathname === '/' && new URLSearchParams(search).get('filter') === 'mentions'

  return {
    loading: topics === undefined,
    topics: followed.filter((topic) => !topic.muted),
    muted: followed.filter((topic) => topic.muted),
    total: counts?.total ?? 0,
    mentions: counts?.mentions ?? 0,
    at: {
      all: pathname === '/' && !atMentions,
      mentions: atMentions,
      browse: pathname === '/topics',
      search: pathname === places.search(''),
      settings: pathname === places.settings,
      developers: pathname === places.developers,
    },
  }
}
