import { useSyncExternalStore } from 'react'
import { usePersonLive } from '../live/live-context.ts'
import type { Post } from '../live/outbox.ts'

/** Posts that the server does not have yet, oldest first. */
export function useOutbox(): readonly Post[] {
  const { outbox } = usePersonLive()
  return useSyncExternalStore(outbox.subscribe, outbox.posts)
}

/** How many read marks wait for a network. */
export function useKeptMarks(): number {
  const { marker } = usePersonLive()
  return useSyncExternalStore(marker.subscribe, marker.waiting)
}
