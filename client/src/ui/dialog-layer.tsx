import * as Radix from 'radix-ui/dialog'
import { useLayoutEffect, useRef } from 'react'
import { texts } from '../texts/shell.ts'
import type { DialogProps } from './dialog-props.ts'
import { Icon } from './icon.tsx'

const LOOKS: Record<NonNullable<DialogProps['look']>, string> = {
  centre:
    'top-[12vh] left-1/2 w-[min(480px,calc(100vw-32px))] max-h-[80dvh] -translate-x-1/2 data-[state=open]:animate-[fade_var(--t-base)_var(--ease-out)]',
  drawer:
    'inset-y-0 left-0 w-[min(300px,85vw)] rounded-none! data-[state=open]:animate-[slide-in_var(--t-base)_var(--ease-out)]',
  sheet:
    'inset-x-0 bottom-0 max-h-[85dvh] rounded-b-none! pb-[env(safe-area-inset-bottom)] data-[state=open]:animate-[rise_var(--t-base)_var(--ease-out)] md:inset-x-auto md:top-[12vh] md:bottom-auto md:left-1/2 md:w-[480px] md:-translate-x-1/2 md:rounded-12!',
}

export function DialogLayer(props: DialogProps) {
  const { open, onOpenChange, title, description, look = 'centre', hideTitle, firm, className = '', children } = props
  const before = useRef<Element>(null)
  // Radix mounts what is inside one commit later, so no field in there has taken focus yet.
  useLayoutEffect(() => {
    if (open) before.current = document.activeElement
  }, [open])
  const hold = firm ? (event: Event) => event.preventDefault() : undefined
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        {/* Not Radix' overlay: that one locks scrolling, also inside a panel that floats from the dialog, and the page
            behind does not scroll anyway. */}
        <div className="fixed inset-0 z-(--z-dialog) animate-[fade_var(--t-base)_var(--ease-out)] bg-[#0b0c0e66]" />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          {...(hold ? { onPointerDownOutside: hold, onInteractOutside: hold } : {})}
          onEscapeKeyDown={(event) => {
            if (firm || isListing()) event.preventDefault()
          }}
          onCloseAutoFocus={(event) => {
            // Radix returns focus to its own trigger only; ours are opened from keys, menus and bars. Where the page has
            // moved on and put focus elsewhere, that stays.
            event.preventDefault()
            const lost = document.activeElement === document.body || document.activeElement === null
            if (lost && before.current instanceof HTMLElement) before.current.focus()
          }}
          className={`fixed z-(--z-dialog) flex flex-col overflow-hidden rounded-12 bg-raised text-ink shadow-3 focus-visible:shadow-3 ${LOOKS[look]} ${className}`}
        >
          <div className={hideTitle ? 'sr-only' : 'flex items-start gap-3 px-5 pt-4 pb-1'}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-16 font-semibold tracking-tight">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-ink-2">{description}</Radix.Description>}
            </div>
            {!firm && !hideTitle && (
              <Radix.Close
                aria-label={texts.close}
                className="-mt-1 -mr-2 grid size-(--control-h) flex-none place-items-center rounded-6 text-ink-3 hover:bg-active hover:text-ink"
              >
                <Icon name="x" />
              </Radix.Close>
            )}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A field in the dialog has a list of its own open: Escape closes that one first. */
const isListing = () => document.activeElement?.matches('[aria-haspopup="listbox"][aria-activedescendant]') ?? false
