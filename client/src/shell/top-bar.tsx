import { Link } from 'wouter'
import { ConnectionPill } from '../feed/connection-pill.tsx'
import { places } from '../lib/places.ts'
import { texts } from '../texts/shell.ts'
import { Icon } from '../ui/icon.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { AccountMenu } from './account-menu.tsx'
import { LazyBell } from './lazy-bell.tsx'

export function TopBar() {
  return (
    <header className="flex h-(--topbar-h) items-center gap-2 border-b border-line bg-surface pr-4 pl-5">
      <Link
        to={places.search('')}
        className="flex h-(--control-h) w-95 max-w-full min-w-0 items-center gap-2 rounded-6 border border-line bg-sunken pr-1.75 pl-2.5 text-ink-3 no-underline hover:border-line-strong"
      >
        <Icon name="search" />
        <span className="min-w-0 flex-1 truncate text-left">{texts.nav.search}</span>
        <Kbd>/</Kbd>
      </Link>
      <span className="flex-1" />
      <ConnectionPill />
      <LazyBell />
      <AccountMenu />
    </header>
  )
}
