import * as Radix from 'radix-ui/popover'
import type { ReactNode } from 'react'
import type { AnchorRef } from './anchor.ts'

type Props = {
  anchor: AnchorRef
  label: string
  side: 'top' | 'right' | 'bottom' | 'left'
  align: 'start' | 'center' | 'end'
  className?: string
  onClose: () => void
  children: ReactNode
}

export function PopoverLayer({ anchor, label, side, align, className = '', onClose, children }: Props) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Anchor virtualRef={anchor as { current: HTMLElement }} />
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onInteractOutside={(event) => {
            // The trigger closes the panel by its own click; closing here too would open it again.
            if (event.target instanceof Node && anchor.current?.contains(event.target)) event.preventDefault()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            anchor.current?.focus()
          }}
          className={`floating max-h-(--radix-popover-content-available-height) overflow-y-auto focus-visible:shadow-3 ${className}`}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
