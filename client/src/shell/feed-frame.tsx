import type { ReactNode } from 'react'

/** A feed that scrolls by itself, with room for a rail on wide screens. */
export function FeedFrame({ rail, children }: { rail: ReactNode; children: ReactNode }) {
  return (
    <div className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] xl:grid-cols-[minmax(0,1fr)_var(--rail-w)]">
      <div className="flex min-h-0 min-w-0 flex-col">{children}</div>
      {rail}
    </div>
  )
}
