import type { ReactNode } from 'react'

/** Something too long for its place. It has a name and takes focus, or nobody could scroll it by key. */
export function ScrollBlock({
  label,
  className = '',
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key.
    <section tabIndex={0} aria-label={label} className={`overflow-auto rounded-8 border border-line ${className}`}>
      {children}
    </section>
  )
}
