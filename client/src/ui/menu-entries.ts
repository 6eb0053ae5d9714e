import type { IconName } from './icon.tsx'

export type MenuAction = {
  text: string
  icon?: IconName
  keys?: string[]
  danger?: boolean
  disabled?: boolean
  /** Set for a choice that is on or off; the item then says which. */
  checked?: boolean
  /** A second, quieter line. */
  hint?: string
  onSelect: () => void
}

export type MenuEntry = MenuAction | 'line' | { heading: string; hint?: string }
