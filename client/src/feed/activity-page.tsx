// One activity by itself, with everything that was said about it: where links and notices lead.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { useParams } from 'wouter'
import type { FeedItem } from '#shared/feed.ts'
import { useHidden } from '../hooks/useEditing.ts'
import { places } from '../lib/places.ts'
import { errorBody, trpcClient } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import { useTitle } from '../lib/use-title.ts'
import { itemKey } from '../live/feed-cache.ts'
import { usePersonLive } from '../live/live-context.ts'
import { goneOf } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { threadTexts } from '../texts/thread.ts'
import { ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ActivityRow } from './activity-row.tsx'
import './feed.css'
import { headlineText } from './headline.ts'
import type { ThreadState } from './row-talk.tsx'
import { useDay } from './use-day.ts'
import { useReadOnView } from './use-read-on-view.ts'
import { useRowActions } from './use-row-actions.ts'

const texts = threadTexts.page
const never = () => false

export function ActivityPage() {
  const { id = '' } = useParams<{ id: string }>()
  const number = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : null
  const { cache } = usePersonLive()
  const query = useQuery({
    queryKey: itemKey(number ?? 0),
    queryFn: async () => cache.bring(await trpcClient.activities.get.query({ id: number! })),
    enabled: number !== null,
    staleTime: 0,
  })
  const missing = number === null || errorBody(query.error)?.code === 'NOT_FOUND'
  useTitle(texts.title)
  const gone = query.data && goneOf(query.data)
  const isLeaving = useHidden().has(number ?? 0)
  if (missing || gone || isLeaving)
    return (
      <EmptyState
        icon={gone || isLeaving ? 'trash' : 'lock'}
        level={1}
        title={gone ? feedTexts.row.gone[gone] : isLeaving ? feedTexts.row.gone.author : texts.missing}
        action={<ButtonLink to={places.all}>{texts.back}</ButtonLink>}
      >
        {gone || isLeaving ? texts.goneHint : texts.missingHint}
      </EmptyState>
    )
  if (query.data) return <Single key={query.data.id} item={query.data} />
  return (
    <div className="p-6">
      {query.error ? (
        <ErrorNote title={threadTexts.unreachable} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-5 w-80 max-w-full" />
      )}
    </div>
  )
}

function Single({ item }: { item: FeedItem }) {
  const me = useMe()
  const now = useDay()
  const scroller = useRef<HTMLDivElement>(null)
  const watch = useReadOnView(scroller)
  const [thread, setThread] = useState<ThreadState>('read')
  const onThread = useCallback((_: number, state: ThreadState) => setThread(state), [])
  const row = { kind: 'item' as const, key: 'item', item, place: 1, joined: false, group: null, inner: false }
  useRowActions({ rows: [row], selected: item.id, move: () => {}, onThread })
  useTitle(headlineText(item, me))
  return (
    <div ref={scroller} className="h-full overflow-y-auto py-6">
      <h1 className="sr-only">{headlineText(item, me)}</h1>
      <div className="mx-auto max-w-4xl px-4 pb-3">
        <ButtonLink size="sm" look="ghost" icon="arrow-left" to={places.topic(item.topic.name)}>
          {item.topic.name}
        </ButtonLink>
      </div>
      <div role="feed" aria-label={texts.title} className="mx-auto max-w-4xl">
        <ActivityRow
          item={item}
          height={null}
          me={me}
          now={now}
          place={1}
          size={1}
          joined={false}
          group={null}
          inner={false}
          onGroup={never}
          selected
          tabbable
          showTopic
          unfolds={never}
          watch={watch}
          thread={thread}
          onThread={onThread}
        />
      </div>
    </div>
  )
}
