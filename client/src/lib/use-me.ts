// Who is signed in. The last answer is kept in the browser, so that the frame and the saved feed appear at once, also
// without a network; the server's answer then confirms or corrects it.
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useEffect } from 'react'
import { errorBody, type Outputs, trpc } from './trpc.ts'

export type MeAnswer = Outputs['me']['get']

export type Account =
  | { state: 'loading' }
  | { state: 'signed-in'; me: MeAnswer }
  | { state: 'signed-out' }
  | { state: 'unreachable'; retry: () => void }

const SAVED = 'signal-feed.me'

function savedMe(): MeAnswer | undefined {
  try {
    const text = localStorage.getItem(SAVED)
    return text === null ? undefined : (JSON.parse(text) as MeAnswer)
  } catch {
    return undefined
  }
}

function saveMe(me: MeAnswer) {
  try {
    localStorage.setItem(SAVED, JSON.stringify(me))
  } catch {
    // Storage is full or forbidden: the next start is only slower.
  }
}

export function forgetMe() {
  try {
    localStorage.removeItem(SAVED)
  } catch {
    // Nothing was kept then.
  }
}

/** For the gate in front of the app; everything behind it uses `useMe`. */
export function useAccount(): Account {
  const query = useQuery({
    ...trpc.me.get.queryOptions(),
    initialData: savedMe,
    // Shown at once, but always asked again.
    initialDataUpdatedAt: 0,
  })
  const confirmed = query.dataUpdatedAt > 0
  const { data } = query
  useEffect(() => {
    if (confirmed && data) saveMe(data)
  }, [confirmed, data])

  // A session that ends while someone is reading does not take the page away; see shell/session-ended.tsx.
  if (!confirmed && errorBody(query.error)?.code === 'SIGNED_OUT') return { state: 'signed-out' }
  if (data) return { state: 'signed-in', me: data }
  if (query.error || query.fetchStatus === 'paused') {
    return { state: 'unreachable', retry: () => void query.refetch() }
  }
  return { state: 'loading' }
}

export const MeContext = createContext<MeAnswer | null>(null)

/** The signed-in person; only for screens behind the gate. */
export function useMe(): MeAnswer {
  const me = useContext(MeContext)
  if (me === null) throw new Error('useMe is for signed-in screens')
  return me
}
