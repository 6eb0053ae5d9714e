// Everything one follows, or everything that names one.
import { useSearchParams } from 'wouter'
import { FeedPage } from '../feed/feed-page.tsx'
import { usePhone } from '../lib/use-media.ts'
import { useTitle } from '../lib/use-title.ts'
import { texts } from '../texts/shell.ts'
import { useTopics } from '../topics/use-topics.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Popover } from '../ui/popover.tsx'
import { FeedFrame } from './feed-frame.tsx'
import { AboutAll, Rail } from './rail.tsx'

export function FeedRoute() {
  const [search] = useSearchParams()
  const mentions = search.get('filter') === 'mentions'
  const title = mentions ? texts.nav.mentions : texts.nav.all
  const topics = useTopics()
  const phone = usePhone()
  useTitle(title)

  const about = <AboutAll mentions={mentions} following={topics.data?.filter((topic) => topic.following).length ?? 0} />
  const header = !phone && (
    <div className="flex min-h-8 items-center gap-2">
      <h1 className="flex-1 truncate text-16 font-semibold tracking-tight">{title}</h1>
      <Popover
        label={texts.about.openPage}
        className="grid w-80 gap-5 p-4"
        trigger={<IconButton icon="info" label={texts.about.openPage} className="xl:hidden" />}
      >
        {about}
      </Popover>
    </div>
  )
  return (
    <FeedFrame rail={<Rail label={texts.about.openPage}>{about}</Rail>}>
      <FeedPage header={header} />
    </FeedFrame>
  )
}
