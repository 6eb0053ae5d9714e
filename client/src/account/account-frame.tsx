import type { ReactNode } from 'react'
import { Logo } from '../shell/logo.tsx'
import { Icon } from '../ui/icon.tsx'

type Props = { title: string; hint: string; note?: string | null; children: ReactNode; foot: ReactNode }

/** The quiet page around signing in and up. */
export function AccountFrame({ title, hint, note, children, foot }: Props) {
  return (
    <main className="grid min-h-full place-items-start justify-center bg-app px-4 py-10 sm:place-items-center">
      <div className="w-full max-w-98 sm:rounded-12 sm:border sm:border-line sm:bg-surface sm:p-8 sm:shadow-1">
        <Logo size={36} />
        <h1 className="mt-4 text-20 font-semibold tracking-tight">{title}</h1>
        <p className="text-ink-2">{hint}</p>
        {note && (
          <p role="status" className="mt-4 flex gap-2 rounded-8 bg-warn-tint px-3 py-2 text-warn">
            <Icon name="info" className="mt-0.5" />
            {note}
          </p>
        )}
        <div className="mt-5">{children}</div>
        <p className="mt-5 text-ink-2">{foot}</p>
      </div>
    </main>
  )
}

export const FOOT_LINK = 'font-medium text-accent-text hover:underline'
