// The console's own frame: its sections at the side (behind a button on narrow screens), what needs attention at the top, and
// what is down before everything else.
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { TREND_MINUTES } from '#shared/ops-words.ts'
import { ConnectionPill } from '../feed/connection-pill.tsx'
import { clockTimeExact } from '../feed/when.ts'
import { useAddress } from '../lib/address.tsx'
import { places } from '../lib/places.ts'
import { useMedia } from '../lib/use-media.ts'
import { useTitle } from '../lib/use-title.ts'
import { Logo } from '../shell/logo.tsx'
import { SessionEnded } from '../shell/session-ended.tsx'
import { opsTexts } from '../texts/ops.ts'
import { texts } from '../texts/shell.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Select } from '../ui/input.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { OpsAccount } from './ops-account.tsx'
import { opsPlaces } from './ops-places.ts'
import { ELSEWHERE, FIND_OUT, SECTIONS, type Section, WATCH } from './sections.ts'
import { signsOf, signText } from './signs.ts'
import type { Picture, TrendMinutes, Trends } from './use-picture.ts'

type Props = {
  picture: Picture | undefined
  trends: Trends | undefined
  /** Since when the server has not answered; null while it does. */
  lastAt: number | null
  minutes: TrendMinutes
  onMinutes: (minutes: TrendMinutes) => void
  children: ReactNode
}

const isHere = (section: Section, pathname: string) =>
  pathname === section.path || (section.path !== opsPlaces.overview && pathname.startsWith(`${section.path}/`))

export function OpsFrame({ picture, trends, lastAt, minutes, onMinutes, children }: Props) {
  const wide = useMedia('(min-width: 1024px)')
  const { pathname } = useAddress()
  const [open, setOpen] = useState(false)
  const [lastPlace, setLastPlace] = useState(pathname)
  if (lastPlace !== pathname) {
    setLastPlace(pathname)
    setOpen(false)
  }
  const here = SECTIONS.find((section) => isHere(section, pathname))
  const name = here?.name ?? opsTexts.title
  useTitle(name)
  const main = useRef<HTMLElement>(null)
  const announced = useRef(pathname)
  useEffect(() => {
    if (announced.current === pathname) return
    announced.current = pathname
    main.current?.focus({ preventScroll: true })
    main.current?.scrollTo(0, 0)
  }, [pathname])

  return (
    <div
      data-density="compact"
      className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[var(--topbar-h)_minmax(0,1fr)] bg-app lg:grid-cols-[200px_minmax(0,1fr)]"
    >
      <a
        href="#main"
        className="fixed top-2 left-2 z-(--z-toast) -translate-y-16 rounded-6 bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        {texts.skip}
      </a>
      {wide && (
        <div className="row-span-2 min-h-0 border-r border-line">
          <Side pathname={pathname} picture={picture} />
        </div>
      )}
      <header className="flex h-(--topbar-h) min-w-0 items-center gap-2 border-b border-line bg-surface px-4 max-sm:px-3">
        {!wide && <IconButton icon="menu" label={opsTexts.nav.menu} onClick={() => setOpen(true)} />}
        <h1 className="min-w-0 truncate text-14 font-semibold">{name}</h1>
        {picture && <Signs picture={picture} trends={trends} />}
        <span className="flex-1" />
        <Select
          aria-label={opsTexts.span.label}
          value={minutes}
          onChange={(event) => onMinutes(Number(event.target.value) as TrendMinutes)}
          className="w-auto! border-line! text-12! max-sm:hidden"
        >
          {TREND_MINUTES.map((span) => (
            <option key={span} value={span}>
              {opsTexts.span[span]}
            </option>
          ))}
        </Select>
        <ConnectionPill />
        <OpsAccount />
      </header>
      <main id="main" ref={main} tabIndex={-1} className="min-h-0 min-w-0 overflow-y-auto">
        <Notes picture={picture} lastAt={lastAt} />
        {picture ? (
          <Suspense>{children}</Suspense>
        ) : (
          <div className="p-6">
            <SkeletonLines count={6} />
          </div>
        )}
      </main>
      {!wide && (
        <Dialog look="drawer" hideTitle title={opsTexts.nav.label} open={open} onOpenChange={setOpen}>
          <Side pathname={pathname} picture={picture} />
        </Dialog>
      )}
      <SessionEnded />
    </div>
  )
}

function Side({ pathname, picture }: { pathname: string; picture: Picture | undefined }) {
  const list = (sections: Section[]) =>
    sections.map((section) => (
      <Item key={section.path} section={section} here={isHere(section, pathname)} picture={picture} />
    ))
  return (
    <nav aria-label={opsTexts.nav.label} className="flex h-full min-h-0 flex-col overflow-y-auto bg-app px-2 pb-2">
      <p className="flex h-(--topbar-h) flex-none items-center gap-2.5 px-2 text-14 font-semibold">
        <Logo />
        {opsTexts.title}
      </p>
      {list(WATCH)}
      {FIND_OUT.length > 0 && <Heading>{opsTexts.nav.findOut}</Heading>}
      {list(FIND_OUT)}
      <Heading>{opsTexts.nav.elsewhere}</Heading>
      {list(ELSEWHERE)}
      <span className="flex-1" />
      <Link to={places.all} className={`${ITEM} text-ink-2`}>
        <Icon name="inbox" className="text-ink-3" />
        {opsTexts.nav.back}
      </Link>
    </nav>
  )
}

const ITEM =
  'mb-px flex h-7.5 flex-none items-center gap-2.5 rounded-6 px-2 font-medium no-underline hover:bg-active focus-visible:shadow-ring-inset pointer-coarse:h-11'

const Heading = ({ children }: { children: ReactNode }) => (
  <h2 className="mt-3.5 flex h-7 flex-none items-center px-2 text-12 font-medium text-ink-3">{children}</h2>
)

function Item({ section, here, picture }: { section: Section; here: boolean; picture: Picture | undefined }) {
  const waiting = (picture && section.count?.(picture)) ?? 0
  return (
    <Link
      to={section.path}
      aria-current={here ? 'page' : undefined}
      className={`${ITEM} ${here ? 'bg-active text-ink' : waiting > 0 ? 'text-ink' : 'text-ink-2'}`}
    >
      <Icon name={section.icon} className={here ? 'text-ink-2' : 'text-ink-3'} />
      <span className="min-w-0 flex-1 truncate">{section.name}</span>
      {waiting > 0 && (
        <span className="text-12 text-ink-3 tabular-nums">
          <span aria-hidden="true">{waiting.toLocaleString('en')}</span>
          <span className="sr-only">, {opsTexts.nav.waiting(waiting)}</span>
        </span>
      )}
    </Link>
  )
}

function Signs({ picture, trends }: { picture: Picture; trends: Trends | undefined }) {
  const signs = signsOf(picture, trends)
  const first = signs[0]
  if (!first) return null
  return (
    <Link
      to={opsPlaces.runbook(first.runbook)}
      className={`inline-flex h-5 min-w-0 items-center gap-1 rounded-4 px-1.5 text-12 leading-none font-medium no-underline hover:underline ${first.tone === 'bad' ? 'bg-bad-tint text-bad' : 'bg-warn-tint text-warn'}`}
    >
      <Icon name="warning" size={12} />
      <span className="truncate py-1">{signText(signs)}</span>
    </Link>
  )
}

/** What is down, and what that means. Read out when it changes. */
function Notes({ picture, lastAt }: { picture: Picture | undefined; lastAt: number | null }) {
  const notes: { name: string; title: string; text: string }[] = []
  if (lastAt) notes.push({ name: 'stale', title: opsTexts.stale(clockTimeExact(lastAt)), text: '' })
  else for (const part of picture?.down ?? []) notes.push({ name: part, ...opsTexts.down[part] })
  return (
    <div role="status">
      {notes.length > 0 && (
        <ul className="mx-3 mt-3 grid gap-1 rounded-8 bg-bad-tint px-3 py-2 text-12">
          {notes.map(({ name, title, text }) => (
            <li key={name} className="flex items-start gap-2">
              <Icon name="warning" size={14} className="mt-0.25 text-bad" />
              <span>
                <b className="font-semibold">{title}</b> {text}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
