// The parts of the developers' page: a heading with a word on what it is and what one can do, and a box below.
import type { ReactNode } from 'react'

type Props = { title: ReactNode; hint?: string; action?: ReactNode; children: ReactNode }

export function Section({ title, hint, action, children }: Props) {
  return (
    <section className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-13 font-semibold">{title}</h2>
        {hint && <p className="min-w-0 text-13 text-ink-3">{hint}</p>}
        {action && <div className="ml-auto flex items-center gap-1">{action}</div>}
      </div>
      {children}
    </section>
  )
}

/** A box with nothing in it yet, and what would be. */
export function Nothing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-8 border border-dashed border-line px-4 py-5 text-center">
      <p className="font-medium">{title}</p>
      <p className="mx-auto max-w-110 text-ink-2">{children}</p>
    </div>
  )
}
