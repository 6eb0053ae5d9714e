// What keys and clicks do to rows. A click anywhere on a row means that it was read, except on its own actions.
import type { MouseEvent } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { openComposer } from '../hooks/useComposer.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { usePersonLive } from '../live/live-context.ts'
import { mainUrl } from './headline.ts'
import { openOut } from './open-out.ts'
import type { ThreadState } from './row-talk.tsx'
import { indexOfItem, itemsOf, type Row } from './rows.ts'
import { itemIdOf } from './use-row-focus.ts'

type Options = {
  rows: readonly Row[]
  selected: number | null
  move: (step: 1 | -1) => void
  onThread: (id: number, state: ThreadState) => void
}

export const itemAt = (rows: readonly Row[], index: number | null): FeedItem | null => {
  const row = index === null ? undefined : rows[index]
  return row?.kind === 'item' ? row.item : null
}

/** Returns what a click on the element around all rows does. */
export function useRowActions({ rows, selected, move, onThread }: Options) {
  const { mark } = usePersonLive()
  const at = indexOfItem(rows, selected)
  const chosen = itemAt(rows, at)
  const meant = itemsOf(rows[at ?? -1])

  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    c: openComposer,
    // Its palette floats from the button of the chosen row, which is there as long as the row is chosen.
    e: () => chosen && document.querySelector<HTMLElement>(`[data-item="${chosen.id}"] [data-react]`)?.click(),
    r: () => chosen && onThread(chosen.id, 'write'),
    m: () => {
      if (meant.length > 0)
        mark(
          meant,
          meant.some((item) => !item.read),
        )
    },
    Enter: ({ target }) => {
      // On a link or button inside the row, Enter is that one's.
      if (!chosen || !(target instanceof HTMLElement) || itemIdOf(target) !== chosen.id || !target.dataset.item)
        return false
      mark(meant, true)
      // A fold opens before anything in it does.
      const fold = target.querySelector<HTMLElement>('[data-group]')
      if (fold) {
        fold.click()
        return true
      }
      const url = mainUrl(chosen)
      if (url) openOut(url)
      else target.querySelector<HTMLElement>('[data-fold]')?.click()
      return true
    },
  })

  return ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('[role="toolbar"]')) return
    const clicked = indexOfItem(rows, itemIdOf(target))
    if (clicked !== null) mark(itemsOf(rows[clicked]), true)
  }
}
