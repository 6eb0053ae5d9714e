// The two bars of a phone: where one is with the connection above, the way around below.
import { type ReactNode, Suspense, useState } from 'react'
import { Link, useRoute } from 'wouter'
import { ConnectionPill } from '../feed/connection-pill.tsx'
import { openComposer } from '../hooks/useComposer.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { places, splitTopic } from '../lib/places.ts'
import { texts } from '../texts/shell.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { LazyBell } from './lazy-bell.tsx'
import { useShell } from './shell-context.ts'
import { useSidebar } from './use-sidebar.ts'

const TopicSheet = lazyPart(
  () => import('./topic-sheet.tsx'),
  (module) => module.TopicSheet,
)

export function PhoneTopBar() {
  const shell = useShell()
  const [, topic] = useRoute('/t/:kind/:name')
  const [, manage] = useRoute('/t/:kind/:name/settings')
  const { at } = useSidebar()
  const title = at.mentions
    ? texts.nav.mentions
    : at.browse
      ? texts.nav.topics
      : at.search
        ? texts.phone.search
        : at.developers
          ? texts.nav.developers
          : at.settings
            ? texts.nav.settings
            : at.all
              ? texts.nav.all
              : texts.product

  return (
    <header className="flex h-(--topbar-h) items-center gap-1 border-b border-line bg-surface px-2">
      <IconButton icon="menu" size={20} label={texts.nav.open} onClick={shell.openDrawer} bare className="size-11!" />
      {topic ? (
        <TopicTitle name={`${topic.kind}/${topic.name}`} />
      ) : manage ? (
        <>
          <BackLink to={places.topic(`${manage.kind}/${manage.name}`)} label={texts.topic.back} />
          <h1 className="min-w-0 flex-1 truncate text-16 font-semibold tracking-tight">
            {texts.topic.settings}
            <span className="sr-only">, {manage.name}</span>
          </h1>
        </>
      ) : (
        <h1 className="min-w-0 flex-1 truncate text-16 font-semibold tracking-tight">{title}</h1>
      )}
      <ConnectionPill />
      <LazyBell />
    </header>
  )
}

function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Link to={to} aria-label={label} className="grid size-11 flex-none place-items-center rounded-6 text-ink-2">
      <Icon name="arrow-left" />
    </Link>
  )
}

function TopicTitle({ name }: { name: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <h1 className="flex min-w-0 flex-1">
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
          className="flex h-11 min-w-0 items-center gap-1 rounded-6 pr-2 text-16 font-semibold tracking-tight"
        >
          <span className="truncate">
            <span className="sr-only">{splitTopic(name).kind}</span>
            {splitTopic(name).name}
          </span>
          <Icon name="chevron-down" className="text-ink-3" />
        </button>
      </h1>
      {open && (
        <Suspense>
          <TopicSheet name={name} open onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  )
}

export function PhoneBottomBar() {
  const { at, total, mentions } = useSidebar()
  return (
    <nav
      aria-label={texts.phone.label}
      className="grid h-[calc(var(--bottombar-h)+env(safe-area-inset-bottom))] grid-cols-5 items-start border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]"
    >
      <BarLink to={places.all} here={at.all} icon="inbox" text={texts.phone.feed} count={total} />
      <BarLink to={places.mentions} here={at.mentions} icon="at" text={texts.phone.mentions} count={mentions} />
      <button type="button" aria-label={texts.phone.post} onClick={() => openComposer()} className={SLOT}>
        <span className="grid h-9 w-12 place-items-center rounded-8 bg-accent text-on-accent">
          <Icon name="plus" size={20} />
        </span>
      </button>
      <BarLink to={places.search('')} here={at.search} icon="search" text={texts.phone.search} />
      <BarLink to={places.settings} here={at.settings} icon="user" text={texts.phone.you} />
    </nav>
  )
}

const SLOT =
  'grid h-(--bottombar-h) place-content-center justify-items-center gap-0.5 text-11 font-medium text-ink-2 no-underline focus-visible:shadow-ring-inset aria-[current=page]:text-accent-text'

type BarLinkProps = { to: string; here: boolean; icon: IconName; text: string; count?: number }

function BarLink({ to, here, icon, text, count = 0 }: BarLinkProps) {
  return (
    <Link to={to} aria-current={here ? 'page' : undefined} className={SLOT}>
      <Face icon={icon} text={text}>
        {count > 0 && (
          <span className="absolute -top-1.5 left-3.5 min-w-4.5 rounded-full border-2 border-surface bg-accent px-1 text-center text-[0.625rem] leading-3.5 font-semibold text-on-accent tabular-nums">
            <span aria-hidden="true">{count < 1_000 ? count : '999+'}</span>
            <span className="sr-only">{texts.nav.unread(count)}, </span>
          </span>
        )}
      </Face>
    </Link>
  )
}

function Face({ icon, text, children }: { icon: IconName; text: string; children?: ReactNode }) {
  return (
    <>
      <span className="relative">
        <Icon name={icon} size={20} />
        {children}
      </span>
      <span>{text}</span>
    </>
  )
}
