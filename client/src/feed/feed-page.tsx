// A feed under its header: which activities, and the list of them. What is chosen stands in the address, so that it can
// be linked and survives a reload.
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import type { FeedFilter } from '#shared/feed.ts'
import { useUnreadCounts } from '../hooks/useUnreadCounts.ts'
import type { Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { useTopics } from '../topics/use-topics.ts'
import { Tabs, tabId } from '../ui/tabs.tsx'
import { Composer } from './composer.tsx'
import { FeedList } from './feed-list.tsx'
import { PendingPosts } from './pending-posts.tsx'

const PANEL = 'feed-panel'

const filterIn = (value: string | null): FeedFilter => (value === 'unread' || value === 'mentions' ? value : 'all')

export function FeedPage({ topic, header }: { topic?: string; header: ReactNode }) {
  const [search, setSearch] = useSearchParams()
  const filter = filterIn(search.get('filter'))
  const counts = useUnreadCounts()
  const { data: topics } = useTopics()
  const view = topics?.find(({ name }) => name === topic)
  const unread = topic === undefined ? counts?.total : view && (counts?.topics[view.id] ?? 0)
  const scope: Scope = { filter, ...(topic ? { topic } : {}) }

  return (
    <>
      <div className="flex-none border-b border-line px-8 pt-3">
        {header}
        <Tabs
          label={feedTexts.tabs.label}
          panelId={PANEL}
          value={filter}
          onChange={(value) => setSearch(value === 'all' ? {} : { filter: value }, { replace: true })}
          tabs={[
            { value: 'all', text: feedTexts.tabs.all },
            { value: 'unread', text: feedTexts.tabs.unread, count: unread },
            { value: 'mentions', text: feedTexts.tabs.mentions, count: topic ? undefined : counts?.mentions },
          ]}
        />
      </div>
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, filter)} className="flex min-h-0 flex-1 flex-col">
        <Composer topic={topic} />
        <PendingPosts topic={topic} />
        <FeedList
          key={`${topic} ${filter}`}
          scope={scope}
          followed={topic === undefined || (view?.following ?? true)}
        />
      </div>
    </>
  )
}
