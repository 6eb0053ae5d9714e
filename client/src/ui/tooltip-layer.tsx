import * as Radix from 'radix-ui/tooltip'
import { createPortal } from 'react-dom'
import { type AnchorRef, standInStyle } from './anchor.ts'

type Props = {
  anchor: AnchorRef
  id: string
  text: string
  keys?: string[]
  side: 'top' | 'right' | 'bottom' | 'left'
  /** The pointer may travel onto the tooltip without losing it (WCAG 1.4.13). */
  onHold: () => void
  onRelease: () => void
}

export function TooltipLayer({ anchor, id, text, keys, side, onHold, onRelease }: Props) {
  return (
    <Radix.Provider>
      <Radix.Root open>
        {/* In the body: inside something that is moved by a transform, such as a row, `fixed` would mean fixed in there. */}
        {createPortal(
          <Radix.Trigger asChild>
            <span style={standInStyle(anchor.current)} aria-hidden="true" />
          </Radix.Trigger>,
          document.body,
        )}
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            aria-label={text}
            onPointerEnter={onHold}
            onPointerLeave={onRelease}
            className="floating pointer-events-auto flex max-w-72 items-center gap-1.5 rounded-6! bg-ink! px-2 py-1 text-12 font-medium text-surface! shadow-2!"
          >
            <span id={id}>{text}</span>
            {keys?.map((key) => (
              <kbd
                key={key}
                className="grid h-4 min-w-4 place-items-center rounded-4 border border-surface/40 px-1 font-sans text-11 leading-none"
              >
                {key}
              </kbd>
            ))}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
