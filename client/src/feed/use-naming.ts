// Completion inside the text being written: what is being named at the caret, who or what fits, and which one is chosen.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { Person } from '#shared/person.ts'
import { trpc } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import { type Naming, namingAt, rankTopics } from './completion.ts'

const MOST = 8

export type Suggestion =
  | { kind: 'person'; name: string; person: Person }
  | { kind: 'topic'; name: string; isPrivate: boolean }

export function useNaming(text: string, caret: number | null, target: string | null) {
  const [chosen, setChosen] = useState({ query: '', index: 0 })
  /** Where the name starts that somebody does not want completed. */
  const [refused, setRefused] = useState<number | null>(null)
  const here = caret === null ? null : namingAt(text, caret)
  // Away from the refused name; coming back to it is a new wish.
  if (refused !== null && here?.from !== refused) setRefused(null)
  const naming = here?.from === refused ? null : here
  const query = naming ? `${naming.from} ${naming.query}` : ''

  const person = useDeferredValue(naming?.mark === '@' ? naming.query : null)
  const people = useQuery({
    ...trpc.people.complete.queryOptions({ q: person ?? '', ...(target === null ? {} : { topic: target }) }),
    enabled: person !== null,
    staleTime: 60_000,
    placeholderData: (before) => before,
  })
  const me = useMe()
  const { data: topics = [] } = useQuery(trpc.topics.list.queryOptions())

  const found = naming === null ? [] : naming.mark === '@' ? fitting(people.data, naming, me) : topicsFor(naming)
  function topicsFor({ query }: Naming): Suggestion[] {
    return rankTopics(topics, query, MOST).map(({ name, visibility }) => {
      return { kind: 'topic', name, isPrivate: visibility === 'private' }
    })
  }

  return {
    naming,
    found,
    // Another letter is another list, which starts with its best.
    at: chosen.query === query ? Math.min(chosen.index, found.length - 1) : 0,
    choose: (index: number) => setChosen({ query, index }),
    refuse: () => setRefused(naming?.from ?? null),
  }
}

/** An answer to an earlier letter may still hold people who no longer fit; and nobody needs to call themselves. */
const fitting = (people: Person[] | undefined, { query }: Naming, me: Person): Suggestion[] =>
  (people ?? [])
    .filter(({ id, handle, name }) => id !== me.id && (handle.startsWith(query) || name.toLowerCase().includes(query)))
    .slice(0, MOST)
    .map((person) => ({ kind: 'person', name: person.handle, person }))
