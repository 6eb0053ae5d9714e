import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { Tooltip } from './tooltip.tsx'

type Props = Omit<ComponentProps<'button'>, 'aria-label' | 'children'> & {
  icon: IconName
  /** Read out, and shown as the tooltip. */
  label: string
  keys?: string[]
  size?: number
  pressed?: boolean
  /** For buttons whose words stand beside them already. */
  bare?: boolean
}

export function IconButton({ icon, label, keys, size = 16, pressed, bare = false, className = '', ...rest }: Props) {
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      className={`relative inline-grid size-(--control-h) flex-none place-items-center rounded-6 text-ink-2 transition-colors duration-(--t-fast) hover:bg-active hover:text-ink disabled:text-ink-off aria-pressed:bg-active aria-pressed:text-ink ${className}`}
      {...rest}
    >
      <Icon name={icon} size={size} />
    </button>
  )
  if (bare) return button
  return (
    <Tooltip text={label} {...(keys ? { keys } : {})} labels>
      {button}
    </Tooltip>
  )
}
