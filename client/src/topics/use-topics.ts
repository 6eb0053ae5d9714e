// The topics somebody can see, and what they can do with one of them. Following and muting show at once and are taken
// back when the server refuses.
import { useMutation, useQuery } from '@tanstack/react-query'
import type { TopicView } from '#shared/topic.ts'
import { queryClient } from '../lib/query-client.ts'
import { errorBody, type Outputs, trpc } from '../lib/trpc.ts'
import { texts } from '../texts/shell.ts'
import { useToast } from '../ui/toast.tsx'

export type TopicDetail = Outputs['topics']['get']

export function useTopics() {
  return useQuery(trpc.topics.list.queryOptions())
}

/** One topic: from the list at once, with its members when they arrive. */
export function useTopic(name: string) {
  const list = useTopics()
  const detail = useQuery(trpc.topics.get.queryOptions({ topic: name }))
  const listed = list.data?.find((topic) => topic.name === name)
  const missing = errorBody(detail.error)?.code === 'NOT_FOUND'
  return {
    topic: missing ? undefined : (detail.data ?? listed),
    members: missing ? undefined : detail.data?.members,
    missing,
    error: missing || detail.data ? null : detail.error,
    retry: () => void detail.refetch(),
  }
}

export const sentence = (error: unknown) => errorBody(error)?.message ?? texts.failed.unreachable

/** Applies a change to every place that shows the topic; returns the way back. */
function patchTopic(name: string, patch: Partial<TopicView>): () => void {
  const listKey = trpc.topics.list.queryKey()
  const detailKey = trpc.topics.get.queryKey({ topic: name })
  const list = queryClient.getQueryData(listKey)
  const detail = queryClient.getQueryData(detailKey)
  if (list) {
    queryClient.setQueryData(
      listKey,
      list.map((topic) => (topic.name === name ? { ...topic, ...patch } : topic)),
    )
  }
  if (detail) queryClient.setQueryData(detailKey, { ...detail, ...patch })
  return () => {
    queryClient.setQueryData(listKey, list)
    queryClient.setQueryData(detailKey, detail)
  }
}

export async function refreshTopics(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries(trpc.topics.pathFilter()),
    queryClient.invalidateQueries(trpc.activities.unreadCounts.pathFilter()),
  ])
}

type FollowChange = { topic: string; action: 'follow' | 'unfollow' | 'mute' | 'unmute' }

const PATCHES: Record<FollowChange['action'], Partial<TopicView>> = {
  follow: { following: true },
  unfollow: { following: false, muted: false },
  mute: { muted: true },
  unmute: { muted: false },
}

export function useFollow() {
  const toast = useToast()
  const follow = useMutation(trpc.topics.follow.mutationOptions())
  const unfollow = useMutation(trpc.topics.unfollow.mutationOptions())
  const mute = useMutation(trpc.topics.mute.mutationOptions())

  const send = ({ topic, action }: FollowChange) => {
    if (action === 'follow') return follow.mutateAsync({ topic })
    if (action === 'unfollow') return unfollow.mutateAsync({ topic })
    return mute.mutateAsync({ topic, muted: action === 'mute' })
  }

  const change = async ({ topic, action }: FollowChange): Promise<void> => {
    const back = patchTopic(topic, PATCHES[action])
    try {
      await send({ topic, action })
      await refreshTopics()
      if (action === 'unfollow') {
        toast.show({
          text: texts.topic.unfollowed(topic),
          action: { text: texts.topic.undo, run: () => void change({ topic, action: 'follow' }) },
        })
      }
    } catch (error) {
      back()
      toast.show({ text: sentence(error), tone: 'bad' })
    }
  }
  return change
}
