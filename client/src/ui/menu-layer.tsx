import * as Radix from 'radix-ui/dropdown-menu'
import { createPortal } from 'react-dom'
import { type AnchorRef, standInStyle } from './anchor.ts'
import { Icon } from './icon.tsx'
import { Kbd } from './kbd.tsx'
import type { MenuAction, MenuEntry } from './menu-entries.ts'

type Props = {
  anchor: AnchorRef
  label: string
  entries: MenuEntry[]
  side: 'top' | 'right' | 'bottom' | 'left'
  align: 'start' | 'center' | 'end'
  /** Opened by a key: the first entry is chosen at once. */
  keyboard: boolean
  onClose: () => void
}

export function MenuLayer({ anchor, label, entries, side, align, keyboard, onClose }: Props) {
  return (
    // Not modal: the page itself never scrolls, so there is nothing to lock.
    <Radix.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      {/* In the body: inside something that is moved by a transform, such as a row, `fixed` would mean fixed in there. */}
      {createPortal(
        <Radix.Trigger asChild>
          <span style={standInStyle(anchor.current)} aria-hidden="true" />
        </Radix.Trigger>,
        document.body,
      )}
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          loop
          onFocus={(event) => {
            if (keyboard && event.target === event.currentTarget)
              event.currentTarget.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus()
          }}
          onInteractOutside={(event) => {
            // The trigger closes the menu by its own click; closing here too would open it again.
            if (event.target instanceof Node && anchor.current?.contains(event.target)) event.preventDefault()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // Only when nothing else took focus meanwhile, such as a dialog that an action opened.
            if (document.activeElement === document.body) anchor.current?.focus()
          }}
          className="floating max-h-(--radix-dropdown-menu-content-available-height) min-w-52 overflow-y-auto p-1 focus-visible:shadow-3"
        >
          {entries.map((entry) => {
            if (entry === 'line') return <Radix.Separator key="line" className="mx-2 my-1 h-px bg-line" />
            if ('heading' in entry) {
              return (
                <Radix.Label key={entry.heading} className="px-2 py-1.5">
                  <span className="block text-13 font-semibold">{entry.heading}</span>
                  {entry.hint && <span className="block text-12 text-ink-3">{entry.hint}</span>}
                </Radix.Label>
              )
            }
            return <Entry key={entry.text} action={entry} />
          })}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const ITEM =
  'flex min-h-(--nav-h) items-center gap-2.5 rounded-6 px-2 py-1 text-13 outline-none select-none data-disabled:text-ink-off data-highlighted:bg-active focus-visible:shadow-none'

function Entry({ action }: { action: MenuAction }) {
  const inside = (
    <>
      {action.icon && <Icon name={action.icon} className={action.danger ? '' : 'text-ink-3'} />}
      <span className="flex-1">
        {action.text}
        {action.hint && <span className="block text-12 text-ink-3">{action.hint}</span>}
      </span>
      {action.keys?.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </>
  )
  const shared = {
    disabled: action.disabled ?? false,
    onSelect: action.onSelect,
    className: `${ITEM} ${action.danger ? 'text-bad' : ''}`,
  }
  if (action.checked === undefined) return <Radix.Item {...shared}>{inside}</Radix.Item>
  return (
    <Radix.CheckboxItem {...shared} checked={action.checked}>
      {inside}
      <Icon name="check" className={action.checked ? 'text-accent-text' : 'invisible'} />
    </Radix.CheckboxItem>
  )
}
