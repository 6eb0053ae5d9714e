// The way around: pages, followed topics with their unread counts, muted ones, and the quiet things at the foot.
import { Suspense } from 'react'
import { Link } from 'wouter'
import { lazyPart } from '../lib/lazy-part.ts'
import { places } from '../lib/places.ts'
import { useMe } from '../lib/use-me.ts'
import { texts } from '../texts/shell.ts'
import { TopicName } from '../topics/topic-name.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Logo } from './logo.tsx'
import { NavItem } from './nav-item.tsx'
import { useShell } from './shell-context.ts'
import { type SidebarTopic, useSidebar } from './use-sidebar.ts'

/** Only developers have one. */
const DemoBot = lazyPart(
  () => import('./demo-bot.tsx'),
  (module) => module.DemoBot,
)

export function Sidebar() {
  const shell = useShell()
  const me = useMe()
  const { loading, topics, muted, total, mentions, at } = useSidebar()
  return (
    <nav aria-label={texts.nav.label} className="flex h-full min-h-0 flex-col bg-app px-2 pb-2">
      <Link
        to={places.all}
        className="flex h-(--topbar-h) flex-none items-center gap-2.5 rounded-6 px-2 text-14 font-semibold text-ink no-underline focus-visible:shadow-ring-inset"
      >
        <Logo />
        {texts.product}
      </Link>
      <div className="-mx-2 min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        <NavItem to={places.all} here={at.all} icon="inbox" unread={total}>
          {texts.nav.all}
        </NavItem>
        <NavItem to={places.mentions} here={at.mentions} icon="at" unread={mentions} mention="count">
          {texts.nav.mentions}
        </NavItem>

        <div className="mt-3.5 flex h-7 items-center pr-0.5 pl-2">
          <h2 className="flex-1 text-12 font-medium text-ink-3">{texts.nav.topics}</h2>
          <IconButton
            icon="plus"
            size={14}
            label={texts.nav.create}
            onClick={shell.openCreate}
            className="size-(--target-min)!"
          />
        </div>
        {loading && (
          <div className="grid gap-4 px-2 py-2">
            {['w-3/5', 'w-2/5', 'w-1/2', 'w-2/3'].map((width) => (
              <Skeleton key={width} className={`h-3 ${width}`} />
            ))}
          </div>
        )}
        {!loading && topics.length + muted.length === 0 && <p className="px-2 py-1 text-ink-3">{texts.nav.noTopics}</p>}
        {topics.map((topic) => (
          <TopicItem key={topic.id} topic={topic} />
        ))}
        <NavItem to={places.topics} here={at.browse} icon="search">
          {texts.nav.browse}
        </NavItem>

        {muted.length > 0 && (
          <>
            <h2 className="mt-3.5 flex h-7 items-center px-2 text-12 font-medium text-ink-3">{texts.nav.muted}</h2>
            {muted.map((topic) => (
              <TopicItem key={topic.id} topic={topic} />
            ))}
          </>
        )}
      </div>
      <div className="flex-none">
        {me.demoBot && (
          <Suspense>
            <DemoBot />
          </Suspense>
        )}
        {me.role === 'operator' && (
          <NavItem to={places.ops} here={false} icon="monitor">
            {texts.nav.ops}
          </NavItem>
        )}
        <NavItem to={places.developers} here={at.developers} icon="terminal">
          {texts.nav.developers}
        </NavItem>
        <NavItem to={places.settings} here={at.settings} icon="settings">
          {texts.nav.settings}
        </NavItem>
      </div>
    </nav>
  )
}

function TopicItem({ topic }: { topic: SidebarTopic }) {
  const locked = topic.visibility === 'private'
  return (
    <NavItem
      to={places.topic(topic.name)}
      here={topic.here}
      icon={topic.muted ? 'bell-off' : locked ? 'lock' : 'hash'}
      locked={locked}
      quiet={topic.muted}
      unread={topic.muted ? 0 : topic.unread}
      mention={topic.mentioned ? 'mark' : undefined}
    >
      <TopicName name={topic.name} />
    </NavItem>
  )
}
