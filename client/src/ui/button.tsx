import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import { Icon, type IconName } from './icon.tsx'

export type ButtonLook = 'plain' | 'primary' | 'ghost' | 'danger'
type Size = 'md' | 'sm'

const LOOKS: Record<ButtonLook, string> = {
  plain: 'border-line bg-surface text-ink shadow-1 hover:bg-hover active:bg-active',
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-hover',
  ghost: 'border-transparent text-ink-2 hover:bg-active hover:text-ink',
  danger: 'border-line bg-surface text-bad shadow-1 hover:bg-bad-tint',
}

const SIZES: Record<Size, string> = {
  md: 'h-(--control-h) px-3 text-13',
  sm: 'h-(--control-h-sm) px-2 text-12',
}

/** The classes of a button, for the rare thing that looks like one and is not. */
export function buttonClass(look: ButtonLook = 'plain', size: Size = 'md'): string {
  return `inline-flex flex-none items-center justify-center gap-1.5 rounded-6 border font-medium whitespace-nowrap no-underline transition-colors duration-(--t-fast) select-none disabled:border-line-faint disabled:bg-sunken disabled:text-ink-off disabled:shadow-none ${LOOKS[look]} ${SIZES[size]}`
}

type Dress = { look?: ButtonLook; size?: Size; icon?: IconName; busy?: boolean }

export function Button({
  look = 'plain',
  size = 'md',
  icon,
  busy = false,
  className = '',
  children,
  type = 'button',
  disabled,
  ...rest
}: ComponentProps<'button'> & Dress) {
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass(look, size)} ${className}`}
      {...rest}
    >
      {icon && <Icon name={icon} size={size === 'sm' ? 14 : 16} />}
      {children}
    </button>
  )
}

/** A link to one of our pages that looks like a button. */
export function ButtonLink({
  look = 'plain',
  size = 'md',
  icon,
  className = '',
  children,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & { to: string } & Omit<Dress, 'busy'>) {
  return (
    <Link className={`${buttonClass(look, size)} ${className}`} {...rest}>
      {icon && <Icon name={icon} size={size === 'sm' ? 14 : 16} />}
      {children}
    </Link>
  )
}
