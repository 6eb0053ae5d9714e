// The sidebar between 768 and 1023 px: squares with counts. The first button opens the whole sidebar over the feed.
import { places, splitTopic } from '../lib/places.ts'
import { texts } from '../texts/shell.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { StripItem } from './nav-item.tsx'
import { useShell } from './shell-context.ts'
import { useSidebar } from './use-sidebar.ts'

export function Strip() {
  const shell = useShell()
  const { topics, total, mentions, at } = useSidebar()
  return (
    <nav aria-label={texts.nav.label} className="flex h-full min-h-0 flex-col items-center bg-app pb-2">
      <div className="grid h-(--topbar-h) flex-none place-items-center">
        <IconButton icon="menu" size={18} label={texts.nav.open} onClick={shell.openDrawer} className="size-10!" />
      </div>
      <div className="grid min-h-0 flex-1 content-start gap-1 overflow-y-auto px-2">
        <StripItem to={places.all} here={at.all} label={texts.nav.all} unread={total}>
          <Icon name="inbox" size={18} />
        </StripItem>
        <StripItem to={places.mentions} here={at.mentions} label={texts.nav.mentions} unread={mentions} mention>
          <Icon name="at" size={18} />
        </StripItem>
        <hr className="mx-2 my-1 border-line" />
        {topics.map((topic) => (
          <StripItem
            key={topic.id}
            to={places.topic(topic.name)}
            here={topic.here}
            label={topic.name}
            unread={topic.unread}
            mention={topic.mentioned}
          >
            {splitTopic(topic.name).name.slice(0, 2)}
          </StripItem>
        ))}
      </div>
      <StripItem to={places.developers} here={at.developers} label={texts.nav.developers}>
        <Icon name="terminal" size={18} />
      </StripItem>
      <StripItem to={places.settings} here={at.settings} label={texts.nav.settings}>
        <Icon name="settings" size={18} />
      </StripItem>
    </nav>
  )
}
