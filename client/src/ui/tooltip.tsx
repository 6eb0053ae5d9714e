// A word about a control, on hover and on focus. The floating part arrives with the first tooltip that is shown.
import {
  cloneElement,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type Ref,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { both, useAnchor } from './anchor.ts'

const SHOW_AFTER_MS = 500
const HIDE_AFTER_MS = 120

const TooltipLayer = lazyPart(
  () => import('./tooltip-layer.tsx'),
  (module) => module.TooltipLayer,
)

type TriggerProps = {
  ref?: Ref<HTMLElement>
  'aria-describedby'?: string | undefined
  onPointerEnter?: (event: PointerEvent) => void
  onPointerLeave?: (event: PointerEvent) => void
  onPointerDown?: (event: PointerEvent) => void
  onFocus?: (event: FocusEvent) => void
  onBlur?: (event: FocusEvent) => void
  onKeyDown?: (event: KeyboardEvent) => void
}

type Props = {
  text: string
  keys?: string[]
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** The text is the control's label already, so it is not read a second time. */
  labels?: boolean
  children: ReactElement<TriggerProps>
}

export function Tooltip({ text, keys, side = 'top', labels = false, children }: Props) {
  const [open, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const id = useId()
  const { anchor, attach } = useAnchor(children.props.ref)
  useEffect(() => () => clearTimeout(timer.current), [])

  const later = (next: boolean, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(next), ms)
  }
  const now = (next: boolean) => {
    clearTimeout(timer.current)
    setOpen(next)
  }
  const own = children.props

  return (
    <>
      {cloneElement(children, {
        ref: attach,
        ...(open && !labels ? { 'aria-describedby': id } : {}),
        onPointerEnter: both(own.onPointerEnter, (event) => {
          if (event.pointerType === 'mouse') later(true, SHOW_AFTER_MS)
        }),
        onPointerLeave: both(own.onPointerLeave, () => later(false, HIDE_AFTER_MS)),
        onPointerDown: both(own.onPointerDown, () => now(false)),
        onFocus: both(own.onFocus, (event) => {
          if (event.target.matches(':focus-visible')) now(true)
        }),
        onBlur: both(own.onBlur, () => now(false)),
        onKeyDown: both(own.onKeyDown, (event) => {
          if (event.key === 'Escape' || event.key === 'Enter') now(false)
        }),
      })}
      {open && (
        <Suspense>
          <TooltipLayer
            anchor={anchor}
            id={id}
            text={text}
            side={side}
            {...(keys ? { keys } : {})}
            onHold={() => clearTimeout(timer.current)}
            onRelease={() => later(false, HIDE_AFTER_MS)}
          />
        </Suspense>
      )}
    </>
  )
}
