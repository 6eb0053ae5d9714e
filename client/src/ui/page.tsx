import type { ReactNode } from 'react'

type Props = { title: ReactNode; hint?: ReactNode; actions?: ReactNode; children: ReactNode; narrow?: boolean }

/** A screen that is not the feed: a title line, and content that scrolls under it. On phones the top bar has the title. */
export function Page({ title, hint, actions, children, narrow = false }: Props) {
  return (
    <div className="h-full overflow-y-auto">
      <div className={`mx-auto px-4 py-5 md:px-8 md:py-6 ${narrow ? 'max-w-170' : 'max-w-240'}`}>
        <div className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3 max-md:not-has-[p,button]:mb-0">
          <div className="min-w-0 flex-1">
            <h1 className="text-20 font-semibold tracking-tight wrap-anywhere max-md:hidden">{title}</h1>
            {hint && <p className="text-ink-2">{hint}</p>}
          </div>
          {actions}
        </div>
        <div>{children}</div>
      </div>
    </div>
  )
}

/** A group of settings under its own heading. */
export function Group({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t border-line py-6 first:border-0 first:pt-0">
      <div>
        <h2 className="text-14 font-semibold">{title}</h2>
        {hint && <p className="text-ink-2">{hint}</p>}
      </div>
      {children}
    </section>
  )
}
