// A list of actions that floats from its trigger. Its floating part is loaded when somebody first reaches for a menu.
import {
  cloneElement,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  type Ref,
  Suspense,
  useState,
} from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { both, useAnchor } from './anchor.ts'
import type { MenuEntry } from './menu-entries.ts'

export type { MenuAction, MenuEntry } from './menu-entries.ts'

const load = () => import('./menu-layer.tsx')
const MenuLayer = lazyPart(load, (module) => module.MenuLayer)

type TriggerProps = {
  ref?: Ref<HTMLElement>
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onClick?: (event: MouseEvent) => void
  onKeyDown?: (event: KeyboardEvent) => void
  onPointerEnter?: (event: PointerEvent) => void
  onFocus?: (event: FocusEvent) => void
}

type Props = {
  label: string
  trigger: ReactElement<TriggerProps>
  entries: MenuEntry[]
  side?: 'top' | 'right' | 'bottom' | 'left'
  align?: 'start' | 'center' | 'end'
  onOpenChange?: (open: boolean) => void
}

export function Menu({ label, trigger, entries, side = 'bottom', align = 'end', onOpenChange }: Props) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'keyboard' | null>(null)
  const open = openedBy !== null
  const setOpen = (by: typeof openedBy) => {
    setOpenedBy(by)
    onOpenChange?.(by !== null)
  }
  const { anchor, attach } = useAnchor(trigger.props.ref)
  const own = trigger.props

  return (
    <>
      {cloneElement(trigger, {
        ref: attach,
        'aria-haspopup': 'menu',
        'aria-expanded': open,
        // A click made by Enter or Space has no pointer and counts no presses.
        onClick: both(own.onClick, (event) => setOpen(open ? null : event.detail === 0 ? 'keyboard' : 'pointer')),
        onKeyDown: both(own.onKeyDown, (event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpen('keyboard')
        }),
        onPointerEnter: both(own.onPointerEnter, () => void load()),
        onFocus: both(own.onFocus, () => void load()),
      })}
      {open && (
        <Suspense>
          <MenuLayer
            anchor={anchor}
            label={label}
            entries={entries}
            side={side}
            align={align}
            keyboard={openedBy === 'keyboard'}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </>
  )
}
