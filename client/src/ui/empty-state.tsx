import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Props = { icon: IconName; title: string; children?: ReactNode; action?: ReactNode; level?: 1 | 2 }

/** What stands where a list would be: what it means, and what one can do about it. */
export function EmptyState({ icon, title, children, action, level = 2 }: Props) {
  const Heading = `h${level}` as const
  return (
    <div className="mx-auto grid max-w-105 justify-items-center px-6 py-16 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-12 border border-line bg-surface text-ink-3 shadow-1">
        <Icon name={icon} size={20} />
      </span>
      <Heading className="text-20 font-semibold tracking-tight text-balance">{title}</Heading>
      {children && <div className="mt-1.5 text-14 text-pretty text-ink-2">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
