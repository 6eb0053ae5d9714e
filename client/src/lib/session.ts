// Whether the session is known to have ended, and what must be forgotten when somebody signs out. Whoever keeps
// something of a person outside the query cache (saved feed, unsent posts) registers with `onSignOut`.
import { useSyncExternalStore } from 'react'

type Forget = () => void | Promise<void>

let ended = false
const listeners = new Set<() => void>()
const forgetters = new Set<Forget>()

function set(next: boolean) {
  if (ended === next) return
  ended = next
  for (const listener of listeners) listener()
}

export const noteSignedOut = () => set(true)
export const noteSignedIn = () => set(false)

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => ended,
  )
}

/** Returns the way to unregister. */
export function onSignOut(forget: Forget): () => void {
  forgetters.add(forget)
  return () => forgetters.delete(forget)
}

export async function forgetPerson(): Promise<void> {
  await Promise.allSettled([...forgetters].map((forget) => forget()))
}
