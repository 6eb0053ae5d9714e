import type { ComponentProps } from 'react'
import { FIELD_CLASS } from './input.tsx'

/** Grows with what is written, up to `max-height` from the class, where it starts to scroll. */
export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea rows={2} className={`${FIELD_CLASS} field-sizing-content resize-none py-1.5 ${className}`} {...rest} />
  )
}
