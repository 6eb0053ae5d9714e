import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { texts } from '../texts/shell.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Tooltip } from '../ui/tooltip.tsx'

type Props = {
  to: string
  here: boolean
  icon: IconName
  children: ReactNode
  unread?: number | undefined
  /** The count is of mentions, or there is one among the unread. */
  mention?: 'count' | 'mark' | undefined
  quiet?: boolean
  locked?: boolean
}

const number = (n: number) => n.toLocaleString('en')

/** A line of the sidebar. */
export function NavItem({ to, here, icon, children, unread = 0, mention, quiet = false, locked = false }: Props) {
  const tone = quiet ? 'text-ink-3' : here || unread > 0 ? 'font-medium text-ink' : 'font-medium text-ink-2'
  return (
    <Link
      to={to}
      aria-current={here ? 'page' : undefined}
      className={`mb-px flex h-(--nav-h) items-center gap-2.5 rounded-6 px-2 no-underline hover:bg-active focus-visible:shadow-ring-inset ${tone} ${here ? 'bg-active' : ''}`}
    >
      <Icon name={icon} className={here ? 'text-ink-2' : 'text-ink-3'} />
      <span className="min-w-0 flex-1 truncate">
        {children}
        {locked && <span className="sr-only">, {texts.nav.private}</span>}
      </span>
      {mention === 'mark' && (
        <span className="rounded-full bg-mention-chip px-1.5 text-12 leading-4.5 font-medium text-mention">
          <span aria-hidden="true">@</span>
          <span className="sr-only">, {texts.nav.mentioned}</span>
        </span>
      )}
      {unread > 0 && <Count n={unread} look={mention === 'count' ? 'mention' : here ? 'here' : 'plain'} />}
    </Link>
  )
}

function Count({ n, look }: { n: number; look: 'plain' | 'here' | 'mention' }) {
  const looks = {
    plain: 'text-ink-2',
    here: 'rounded-full bg-accent px-1.75 text-on-accent',
    mention: 'rounded-full bg-mention-chip px-1.5 text-mention',
  }
  return (
    <span className={`text-12 leading-4.5 font-medium tabular-nums ${looks[look]}`}>
      <span aria-hidden="true">{number(n)}</span>
      <span className="sr-only">, {texts.nav.unread(n)}</span>
    </span>
  )
}

type StripProps = { to: string; here: boolean; label: string; unread?: number; mention?: boolean; children: ReactNode }

/** The same as a square of the narrow sidebar, its name in the tooltip. */
export function StripItem({ to, here, label, unread = 0, mention = false, children }: StripProps) {
  const name = unread > 0 ? `${label}, ${texts.nav.unread(unread)}` : label
  return (
    <Tooltip text={name} side="right" labels>
      <Link
        to={to}
        aria-label={name}
        aria-current={here ? 'page' : undefined}
        className={`grid h-11 w-10 place-content-center justify-items-center rounded-8 text-12 font-semibold no-underline hover:bg-active focus-visible:shadow-ring-inset ${here ? 'bg-active text-ink' : unread > 0 ? 'text-ink' : 'text-ink-2'}`}
      >
        {children}
        {unread > 0 && (
          <span
            className={`mt-0.5 rounded-full px-1 text-11 leading-3.5 font-medium tabular-nums ${mention ? 'bg-mention-chip text-mention' : here ? 'bg-accent text-on-accent' : 'text-ink-3'}`}
          >
            {unread < 1_000 ? unread : '999+'}
          </span>
        )}
      </Link>
    </Tooltip>
  )
}
