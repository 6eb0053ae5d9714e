// The frame around every signed-in screen: sidebar and top bar, or the two bars of a phone, and the dialogs that can be
// opened from anywhere. Screens scroll inside `main`; the frame itself never does.
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { PostFailures } from '../feed/post-failures.tsx'
import { useComposerOpen } from '../hooks/useComposer.ts'
import { useAddress } from '../lib/address.tsx'
import { lazyPart, loadPartsWhenIdle } from '../lib/lazy-part.ts'
import { places } from '../lib/places.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { useMedia, usePhone } from '../lib/use-media.ts'
import { texts } from '../texts/shell.ts'
import { Dialog } from '../ui/dialog.tsx'
import { PhoneBottomBar, PhoneTopBar } from './phone-bars.tsx'
import { SessionEnded } from './session-ended.tsx'
import { type Shell, ShellContext } from './shell-context.ts'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

const ComposerSheet = lazyPart(
  () => import('../feed/composer-sheet.tsx'),
  (module) => module.ComposerSheet,
)
const Strip = lazyPart(
  () => import('./strip.tsx'),
  (module) => module.Strip,
)
const GoTo = lazyPart(
  () => import('./go-to.tsx'),
  (module) => module.GoTo,
)
const ShortcutsDialog = lazyPart(
  () => import('./shortcuts-dialog.tsx'),
  (module) => module.ShortcutsDialog,
)
const CreateDialog = lazyPart(
  () => import('../topics/create-dialog.tsx'),
  (module) => module.CreateDialog,
)

/** By then the feed is usually on screen. */
const SETTLED_MS = 3_000

/** The field of the search page, which is not loaded with the frame. */
const SEARCH_FIELD = '[data-search-field]'

type Opened = 'drawer' | 'create' | 'go-to' | 'shortcuts' | null

export function Frame({ children }: { children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>(null)
  const phone = usePhone()
  const wide = useMedia('(min-width: 1024px)')
  const { pathname, search: query } = useAddress()
  const main = useRef<HTMLElement>(null)
  const composing = useComposerOpen()

  const shell = useMemo<Shell>(
    () => ({
      openDrawer: () => setOpened('drawer'),
      openCreate: () => setOpened('create'),
      openGoTo: () => setOpened('go-to'),
      openShortcuts: () => setOpened('shortcuts'),
    }),
    [],
  )
  const [, navigate] = useLocation()
  const search = () => {
    const field = document.querySelector<HTMLElement>(SEARCH_FIELD)
    if (field) field.focus()
    else navigate(places.search(''))
  }
  useShortcuts({ '/': search, g: shell.openGoTo, '?': shell.openShortcuts })

  // A drawer that stays over the page one went to is in the way.
  const place = pathname + query
  const [lastPlace, setLastPlace] = useState(place)
  if (place !== lastPlace) {
    setLastPlace(place)
    setOpened(null)
  }
  // Readers of a screen are told of the new page by focus; the first page is announced by the browser itself.
  const announced = useRef(pathname)
  useEffect(() => {
    if (announced.current === pathname) return
    announced.current = pathname
    // Whoever opens the search means to type.
    if (document.activeElement?.matches(SEARCH_FIELD)) return
    main.current?.focus({ preventScroll: true })
  }, [pathname])

  useEffect(() => {
    const timer = setTimeout(loadPartsWhenIdle, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [])

  const set = (name: Exclude<Opened, null>) => (open: boolean) => setOpened(open ? name : null)

  return (
    <ShellContext value={shell}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-(--z-toast) -translate-y-16 rounded-6 bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        {texts.skip}
      </a>
      <div className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto] md:grid-cols-[var(--strip-w)_minmax(0,1fr)] md:grid-rows-[auto_minmax(0,1fr)] lg:grid-cols-[var(--sidebar-w)_minmax(0,1fr)]">
        {!phone && (
          <div className="row-span-2 min-h-0 border-r border-line">
            {wide ? (
              <Sidebar />
            ) : (
              <Suspense fallback={null}>
                <Strip />
              </Suspense>
            )}
          </div>
        )}
        {phone ? <PhoneTopBar /> : <TopBar />}
        <main id="main" ref={main} tabIndex={-1} className="min-h-0 min-w-0 overflow-hidden bg-surface">
          <Suspense>{children}</Suspense>
        </main>
        {phone && <PhoneBottomBar />}
      </div>
      {!wide && (
        <Dialog look="drawer" hideTitle title={texts.nav.label} open={opened === 'drawer'} onOpenChange={set('drawer')}>
          <Sidebar />
        </Dialog>
      )}
      <Suspense>
        {phone && composing && <ComposerSheet />}
        {opened === 'go-to' && <GoTo onOpenChange={set('go-to')} />}
        {opened === 'shortcuts' && <ShortcutsDialog onOpenChange={set('shortcuts')} />}
        {opened === 'create' && <CreateDialog onOpenChange={set('create')} />}
      </Suspense>
      <PostFailures />
      <SessionEnded />
    </ShellContext>
  )
}
