// Comments that concern the reader, and how many of them they have not seen. Asked again when something is heard that may
// have changed it, so that it is as new as the feed.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Notices, NoticesSeen } from '#shared/notice.ts'
import { queryClient } from '../lib/query-client.ts'
import { trpcClient } from '../lib/trpc.ts'
import { usePersonLive } from '../live/live-context.ts'
import { BELL_KEY } from '../live/person-live.ts'

const NOTICES_KEY = [...BELL_KEY, 'notices'] as const

const askAgain = () => void queryClient.invalidateQueries({ queryKey: NOTICES_KEY })

export function useNotices(): Notices | undefined {
  const { cache, me } = usePersonLive()
  const { data } = useQuery({ queryKey: NOTICES_KEY, queryFn: () => trpcClient.bell.list.query({}) })
  useEffect(
    () =>
      cache.onTalk(({ concerns, comment }) => {
        const known = queryClient.getQueryData<Notices>(NOTICES_KEY)?.notices
        if (concerns.includes(me.id) || known?.some((notice) => notice.comment.id === comment?.id)) askAgain()
      }),
    [cache, me],
  )
  return data
}

/** Shown as seen at once; asking again tells the truth, also when the server has refused. */
export async function noticesSeen(what: NoticesSeen): Promise<void> {
  queryClient.setQueryData<Notices>(NOTICES_KEY, (known) => known && withSeen(known, what))
  await trpcClient.bell.seen.mutate(what).finally(askAgain)
}

function withSeen(known: Notices, what: NoticesSeen): Notices {
  const isMeant = ({ id, activity }: { id: number; activity: number }) =>
    'activity' in what ? activity === what.activity : id <= what.upTo
  const seen = known.notices.filter(({ comment, read }) => !read && isMeant(comment)).length
  const notices = known.notices.map((notice) => (isMeant(notice.comment) ? { ...notice, read: true } : notice))
  return { ...known, notices, unread: Math.max(0, known.unread - seen) }
}

/** While the comments on an activity are in front of somebody, what the bell holds of them is seen. */
export function useSeenWhileShown(activity: number) {
  const notices = useNotices()
  const waiting = notices?.notices.some(({ comment, read }) => !read && comment.activity === activity) ?? false
  useEffect(() => {
    if (!waiting) return
    const see = () => {
      if (document.visibilityState === 'visible')
        noticesSeen({ activity }).catch(() => {
          // The bell goes on saying that it was not seen, and the next look tries again.
        })
    }
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [waiting, activity])
}
