import type { ComponentProps } from 'react'

/** The look of every field: a visible edge (3:1), red while its value is refused. */
export const FIELD_CLASS =
  'w-full rounded-6 border border-line-strong bg-surface px-2.5 text-13 text-ink focus-visible:border-accent aria-invalid:border-bad disabled:border-line disabled:bg-sunken disabled:text-ink-off'

export function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input className={`${FIELD_CLASS} h-(--control-h) ${className}`} {...rest} />
}

export function Select({ className = '', ...rest }: ComponentProps<'select'>) {
  return <select className={`${FIELD_CLASS} h-(--control-h) ${className}`} {...rest} />
}
