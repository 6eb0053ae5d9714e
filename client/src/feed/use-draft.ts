// The post being written: where it goes, whether it can be sent, and sending it.
import { useQuery } from '@tanstack/react-query'
import { SUMMARY_MAX_CHARS } from '#shared/limits.ts'
import { setComposer, useComposer } from '../hooks/useComposer.ts'
import { trpc } from '../lib/trpc.ts'
import { usePersonLive } from '../live/live-context.ts'

export function useDraft(pageTopic: string | undefined) {
  const { text, topic, lastTopic } = useComposer()
  const { outbox } = usePersonLive()
  const { data: topics } = useQuery(trpc.topics.list.queryOptions())

  const wanted = topic ?? pageTopic ?? lastTopic
  const mayPost = (name: string) => topics?.find((other) => other.name === name)?.mayPost
  // While the topics are unknown (offline, first visit) nobody is kept from writing: the server decides.
  const target = wanted !== null && (mayPost(wanted) ?? topics === undefined) ? wanted : null
  const left = SUMMARY_MAX_CHARS - text.trim().length

  return {
    text,
    target,
    left,
    ready: text.trim() !== '' && left >= 0,
    /** The page is about a topic in which this person only reads. */
    ownersOnly: text === '' && pageTopic !== undefined && mayPost(pageTopic) === false,
    topics: topics?.filter((other) => other.mayPost) ?? [],
    /** The first letter fixes where the draft goes, so that a change of page does not redirect it. */
    write: (next: string) => setComposer({ text: next, topic: next === '' ? null : target }),
    aim: (name: string) => setComposer({ topic: name }),
    send() {
      if (target === null) return
      outbox.post(target, text.trim())
      setComposer({ text: '', topic: null, lastTopic: target })
    },
  }
}

export type Draft = ReturnType<typeof useDraft>
