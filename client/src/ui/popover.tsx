// A panel that floats from its trigger. Its floating part is loaded when the pointer or focus first reaches a trigger.
import {
  cloneElement,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  Suspense,
  useState,
} from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { both, useAnchor } from './anchor.ts'

const load = () => import('./popover-layer.tsx')
const PopoverLayer = lazyPart(load, (module) => module.PopoverLayer)

type TriggerProps = {
  ref?: Ref<HTMLElement>
  'aria-haspopup'?: 'dialog'
  'aria-expanded'?: boolean
  onClick?: (event: MouseEvent) => void
  onPointerEnter?: (event: PointerEvent) => void
  onFocus?: (event: FocusEvent) => void
}

type Props = {
  /** What the panel is, for screen readers. */
  label: string
  trigger: ReactElement<TriggerProps>
  /** A function gets the way to close the panel. */
  children: ReactNode | ((close: () => void) => ReactNode)
  side?: 'top' | 'right' | 'bottom' | 'left'
  align?: 'start' | 'center' | 'end'
  className?: string
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

export function Popover({ label, trigger, children, side = 'bottom', align = 'end', className, ...control }: Props) {
  const [ownOpen, setOwnOpen] = useState(false)
  const open = control.open ?? ownOpen
  const setOpen = (next: boolean) => {
    setOwnOpen(next)
    control.onOpenChange?.(next)
  }
  const { anchor, attach } = useAnchor(trigger.props.ref)
  const own = trigger.props

  return (
    <>
      {cloneElement(trigger, {
        ref: attach,
        'aria-haspopup': 'dialog',
        'aria-expanded': open,
        onClick: both(own.onClick, () => setOpen(!open)),
        onPointerEnter: both(own.onPointerEnter, () => void load()),
        onFocus: both(own.onFocus, () => void load()),
      })}
      {open && (
        <Suspense>
          <PopoverLayer
            anchor={anchor}
            label={label}
            side={side}
            align={align}
            onClose={() => setOpen(false)}
            {...(className === undefined ? {} : { className })}
          >
            {typeof children === 'function' ? children(() => setOpen(false)) : children}
          </PopoverLayer>
        </Suspense>
      )}
    </>
  )
}
