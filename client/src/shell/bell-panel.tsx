// What waits behind the bell: activities that mention the reader and comments that concern them, newest first.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { FeedItem } from '#shared/feed.ts'
import type { Notice } from '#shared/notice.ts'
import { useDay } from '../feed/use-day.ts'
import { exactTime, shortTime } from '../feed/when.ts'
import { noticesSeen } from '../hooks/useNotices.ts'
import { places } from '../lib/places.ts'
import { trpc, trpcClient } from '../lib/trpc.ts'
import { usePersonLive } from '../live/live-context.ts'
import { BELL_KEY } from '../live/person-live.ts'
import { bellTexts } from '../texts/bell.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { useToast } from '../ui/toast.tsx'

const MENTIONS_SHOWN = 100

type Entry = {
  key: string
  activity: number
  who: { handle: string; name: string }
  what: string
  about: string
  text: string
  topic: string
  at: string
  read: boolean
}

const ofActivity = (item: FeedItem): Entry => ({
  key: `activity-${item.id}`,
  activity: item.id,
  who: item.actor.kind === 'person' ? item.actor : { handle: item.actor.id, name: item.actor.name },
  what: bellTexts.kinds.activity,
  about: item.object?.title ?? '',
  text: item.summary,
  topic: item.topic.name,
  at: item.publishedAt,
  read: item.read,
})

const ofNotice = ({ comment, kind, topic, about, read }: Notice): Entry => ({
  key: `comment-${comment.id}`,
  activity: comment.activity,
  who: comment.author,
  what: bellTexts.kinds[kind],
  about,
  text: comment.text,
  topic: topic.name,
  at: comment.createdAt,
  read,
})

type Props = { mentions: number; notices: readonly Notice[]; onDone: () => void }

export function BellPanel({ mentions, notices, onDone }: Props) {
  const { mark } = usePersonLive()
  const toast = useToast()
  const query = useQuery({
    queryKey: [...BELL_KEY, 'mentions', mentions],
    queryFn: () => trpcClient.activities.getFeed.query({ filter: 'mentions', limit: MENTIONS_SHOWN }),
    placeholderData: (before) => before,
  })
  const paused = useQuery({ ...trpc.webhooks.notices.queryOptions(), staleTime: 0 })
  const items = query.data?.items ?? []
  const entries = [...items.map(ofActivity), ...notices.map(ofNotice)].sort((a, b) => (a.at < b.at ? 1 : -1))

  const markAll = async () => {
    mark(items, true)
    const [newest] = notices
    try {
      await trpcClient.webhooks.noticed.mutate()
      await paused.refetch()
      if (newest) await noticesSeen({ upTo: newest.comment.id })
    } catch {
      toast.show({ text: bellTexts.notMarked, tone: 'bad' })
    }
  }

  return (
    <>
      <div className="sticky top-0 z-1 flex items-center gap-2 border-b border-line bg-raised py-1.5 pr-1.5 pl-3.5">
        <h2 className="flex-1 text-14 font-semibold">{bellTexts.title}</h2>
        <Button look="ghost" size="sm" icon="check-all" onClick={() => void markAll()}>
          {bellTexts.markAll}
        </Button>
      </div>
      {query.isError && <ErrorNote title={bellTexts.failed} onRetry={() => void query.refetch()} />}
      {query.isPending && (
        <div className="p-3.5">
          <SkeletonLines count={3} />
        </div>
      )}
      {query.data && entries.length + (paused.data?.length ?? 0) === 0 && (
        <p className="px-3.5 py-8 text-center text-ink-2">{bellTexts.empty}</p>
      )}
      <ul>
        {paused.data?.map(({ id, url, paused: why }) => (
          <li key={`webhook-${id}`} className="border-b border-line-faint">
            <Link
              to={places.developers}
              onClick={onDone}
              className="grid grid-cols-[28px_minmax(0,1fr)] gap-x-2.5 py-2.5 pr-3.5 pl-6 text-ink no-underline hover:bg-hover focus-visible:shadow-ring-inset"
            >
              <Icon name="warning" size={18} className="mt-0.5 justify-self-center text-warn" />
              <span className="wrap-anywhere">{why && webhookTexts.bell(url, why)}</span>
            </Link>
          </li>
        ))}
        {entries.map((entry) => (
          <EntryLine key={entry.key} entry={entry} onDone={onDone} />
        ))}
      </ul>
      <div className="border-t border-line p-1.5">
        <ButtonLink look="ghost" size="sm" to={places.mentions} onClick={onDone}>
          {bellTexts.allMentions}
        </ButtonLink>
      </div>
    </>
  )
}

function EntryLine({ entry, onDone }: { entry: Entry; onDone: () => void }) {
  const now = useDay()
  const time = Date.parse(entry.at)
  return (
    <li className="border-b border-line-faint last:border-0">
      <Link
        to={places.activity(entry.activity)}
        onClick={onDone}
        className="relative grid grid-cols-[28px_minmax(0,1fr)] gap-x-2.5 py-2.5 pr-3.5 pl-6 text-ink-2 no-underline hover:bg-hover focus-visible:shadow-ring-inset"
      >
        {!entry.read && (
          <span className="absolute top-5 left-2 size-2 rounded-full bg-unread">
            <span className="sr-only">{bellTexts.unread}</span>
          </span>
        )}
        <Avatar handle={entry.who.handle} name={entry.who.name} size="28px" />
        <span className="min-w-0">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate">
              <span className={`text-ink ${entry.read ? 'font-medium' : 'font-semibold'}`}>{entry.who.name}</span>{' '}
              {entry.what} <span className="text-ink">{entry.about}</span>
            </span>
            <time dateTime={entry.at} title={exactTime(time)} className="flex-none text-12 text-ink-3 tabular-nums">
              {shortTime(time, now)}
            </time>
          </span>
          <span className="line-clamp-2 text-ink wrap-anywhere">{entry.text}</span>
          <span className="block truncate text-12 text-ink-3">{entry.topic}</span>
        </span>
      </Link>
    </li>
  )
}
