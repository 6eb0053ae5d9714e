import { useSyncExternalStore } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { usePersonLive } from '../live/live-context.ts'

/** What an activity says, with the words that one has just given it. */
export function useWords(item: FeedItem): string {
  const { editor } = usePersonLive()
  return useSyncExternalStore(editor.subscribe, () => editor.words(item.id)) ?? item.summary
}

/** What one is just deleting. */
export function useHidden(): ReadonlySet<number> {
  const { editor } = usePersonLive()
  return useSyncExternalStore(editor.subscribe, editor.hidden)
}
