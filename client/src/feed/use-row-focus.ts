// Which row is chosen, and how one moves between rows. Keys move the real focus, so that a screen reader follows and
// Tab goes on from there; a click or Tab into a row chooses it too. A tap does not: on touch a row is chosen by a long
// press, which is what brings up its actions.
import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { indexOfItem, neighbour, type Row } from './rows.ts'

const PRESS_MS = 500
const PRESS_MOVES_PX = 10

const articleOf = (target: EventTarget) => (target instanceof Element ? target.closest('article') : null)
export const itemIdOf = (target: EventTarget): number | null => {
  const id = articleOf(target)?.dataset.item
  return id === undefined ? null : Number(id)
}

type Options = {
  rows: readonly Row[]
  scroller: RefObject<HTMLElement | null>
  selected: number | null
  setSelected: (id: number | null) => void
  scrollToIndex: (index: number) => void
  /** The first row that is in sight, for whoever has chosen none yet. */
  firstSeen: () => number | null
  /** A step up from the first row. */
  onAbove: () => void
}

export function useRowFocus({ rows, scroller, selected, setSelected, scrollToIndex, firstSeen, onAbove }: Options) {
  const wanted = useRef<number | null>(null)
  const pointer = useRef('mouse')
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null)
  const [, draw] = useState(0)

  useLayoutEffect(() => {
    if (wanted.current === null) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-item="${wanted.current}"]`)
    if (!row) return
    wanted.current = null
    row.focus({ preventScroll: true })
  })

  function go(index: number) {
    const row = rows[index]
    if (row?.kind !== 'item') return
    wanted.current = row.item.id
    setSelected(row.item.id)
    scrollToIndex(index)
    draw((count) => count + 1)
  }

  function move(step: 1 | -1) {
    const at = indexOfItem(rows, selected)
    const next = at === null ? firstSeen() : neighbour(rows, at, step)
    if (next !== null) go(next)
    else if (step < 0) onAbove()
  }

  function endPress() {
    clearTimeout(press.current?.timer)
    press.current = null
  }

  return {
    move,
    go,
    onKeyDown(event: KeyboardEvent) {
      pointer.current = 'keyboard'
      const step = { PageDown: 1, PageUp: -1 }[event.key]
      // In a field these keys move in its text.
      if (step === undefined || articleOf(event.target) === null || event.target instanceof HTMLTextAreaElement) return
      event.preventDefault()
      move(step === 1 ? 1 : -1)
    },
    /** The rest of what the element around all rows listens to. */
    handlers: {
      onFocus(event: FocusEvent) {
        const id = itemIdOf(event.target)
        if (id !== null && pointer.current !== 'touch') setSelected(id)
      },
      onPointerDown(event: PointerEvent) {
        pointer.current = event.pointerType
        endPress()
        const id = itemIdOf(event.target)
        if (event.pointerType !== 'touch' || id === null) return
        if (id !== selected) setSelected(null)
        press.current = { timer: setTimeout(() => setSelected(id), PRESS_MS), x: event.clientX, y: event.clientY }
      },
      onPointerMove(event: PointerEvent) {
        const from = press.current
        if (from && Math.hypot(event.clientX - from.x, event.clientY - from.y) > PRESS_MOVES_PX) endPress()
      },
      onPointerUp: endPress,
      onPointerCancel: endPress,
    },
  }
}
