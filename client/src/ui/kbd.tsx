import type { ReactNode } from 'react'

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-grid h-4.5 min-w-4.5 place-items-center rounded-4 border border-line bg-surface px-1 font-sans text-11 leading-none font-medium text-ink-3">
      {children}
    </kbd>
  )
}
