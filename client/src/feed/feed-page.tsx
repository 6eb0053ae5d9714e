// A feed under its header: which activities, and the list of them. What is chosen stands in the address, so that it can
// be linked and survives a reload.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { FeedFilter } from '#shared/feed.ts'
import { useUnreadCounts } from '../hooks/useUnreadCounts.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { trpc } from '../lib/trpc.ts'
import type { Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { Button } from '../ui/button.tsx'
import { type Tab, Tabs, tabId } from '../ui/tabs.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import './feed.css'
import { Composer } from './composer.tsx'
import { FeedList } from './feed-list.tsx'
import { KindsMenu } from './kinds-menu.tsx'
import { PendingPosts } from './pending-posts.tsx'
import { useMarkAll } from './use-mark-all.ts'

const PANEL = 'feed-panel'

const filterIn = (value: string | null): FeedFilter => (value === 'unread' || value === 'mentions' ? value : 'all')

/** Anybody may have written the address, so a kind that cannot be one is no kind. */
const verbIn = (value: string | null): string | undefined =>
  value !== null && /^[a-z][a-z0-9_.-]{0,39}$/.test(value) ? value : undefined

export function FeedPage({ topic, header }: { topic?: string; header: ReactNode }) {
  const [search, setSearch] = useSearchParams()
  const filter = filterIn(search.get('filter'))
  const verb = verbIn(search.get('kind'))
  const scope = useMemo<Scope>(
    () => ({ filter, ...(topic ? { topic } : {}), ...(verb ? { verb } : {}) }),
    [filter, topic, verb],
  )
  const choose = (next: { filter?: FeedFilter; kind?: string | undefined }) => {
    const { filter: f = filter, kind = verb } = { filter, kind: verb, ...next }
    const chosen = { ...(f === 'all' ? {} : { filter: f }), ...(kind === undefined ? {} : { kind }) }
    setSearch(chosen, { replace: true })
  }

  const counts = useUnreadCounts()
  const { data: topics } = useQuery(trpc.topics.list.queryOptions())
  const view = topics?.find(({ name }) => name === topic)
  const unread = topic === undefined ? counts?.total : view && (counts?.topics[view.id] ?? 0)
  const { markAll, undo } = useMarkAll(scope, view?.id)
  useShortcuts({ A: markAll })

  const tabs: Tab<FeedFilter>[] = [
    { value: 'all', text: feedTexts.tabs.all },
    { value: 'unread', text: feedTexts.tabs.unread, count: unread },
    // How many of one topic is not known, and a count is exact or not shown.
    { value: 'mentions', text: feedTexts.tabs.mentions, count: topic ? undefined : counts?.mentions },
  ]
  const followed = topic === undefined || (view?.following ?? true)

  return (
    <>
      <div className="relative z-1 flex-none border-b border-line bg-surface pt-3 pr-(--gutter-r) pl-(--gutter-l) max-md:px-4 max-md:pt-2 max-md:pb-2">
        {header}
        <Tabs
          label={feedTexts.tabs.label}
          panelId={PANEL}
          value={filter}
          onChange={(value) => choose({ filter: value })}
          tabs={tabs}
        >
          {undo && unread === 0 ? (
            <Button look="ghost" size="sm" icon="refresh" onClick={undo}>
              {feedTexts.undo}
            </Button>
          ) : (
            <Tooltip text={feedTexts.markAll} keys={['⇧', 'A']} labels>
              <Button look="ghost" size="sm" icon="check-all" aria-label={feedTexts.markAll} onClick={markAll}>
                <span className="max-lg:hidden">{feedTexts.markAll}</span>
              </Button>
            </Tooltip>
          )}
          <KindsMenu verb={verb} onChange={(kind) => choose({ kind })} />
        </Tabs>
      </div>
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, filter)} className="flex min-h-0 flex-1 flex-col">
        <FeedList
          key={`${topic} ${filter} ${verb}`}
          scope={scope}
          followed={followed}
          mayPost={view?.mayPost ?? false}
          onAllKinds={() => choose({ kind: undefined })}
          unread={verb === undefined && filter === 'all' ? (unread ?? 0) : 0}
          onUnread={() => choose({ filter: 'unread' })}
          above={
            <>
              <Composer topic={topic} />
              {!followed && (
                <p className="pt-3 pr-(--gutter-r) pl-(--gutter-l) text-12 text-ink-3">{feedTexts.notFollowed}</p>
              )}
              <PendingPosts topic={topic} />
            </>
          }
        />
      </div>
    </>
  )
}
