// One topic: its name and what one can do with it over its feed, with the rail beside it.
import { useParams } from 'wouter'
import { FeedPage } from '../feed/feed-page.tsx'
import { places } from '../lib/places.ts'
import { usePhone } from '../lib/use-media.ts'
import { useTitle } from '../lib/use-title.ts'
import { texts } from '../texts/shell.ts'
import { FollowButton } from '../topics/follow-button.tsx'
import { TopicName } from '../topics/topic-name.tsx'
import { sentence, useTopic } from '../topics/use-topics.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Popover } from '../ui/popover.tsx'
import { FeedFrame } from './feed-frame.tsx'
import { NoSuchTopic } from './not-found.tsx'
import { AboutTopic, Rail } from './rail.tsx'

export function TopicRoute() {
  const { kind, name } = useParams()
  const topicName = `${kind}/${name}`
  // A key, so that nothing of one topic's page (scroll, open rows, drafts in the field) carries over to the next.
  return <TopicFeed key={topicName} name={topicName} />
}

function TopicFeed({ name }: { name: string }) {
  const { topic, members, missing, error, retry } = useTopic(name)
  const phone = usePhone()
  useTitle(name)
  if (missing) return <NoSuchTopic />
  if (error && !topic) {
    return (
      <div className="p-6">
        <ErrorNote title={texts.failed.page} onRetry={retry}>
          {sentence(error)}
        </ErrorNote>
      </div>
    )
  }

  const header = !phone && (
    <div className="flex min-h-8 items-center gap-2">
      <h1 className="min-w-0 truncate text-16 font-semibold tracking-tight">
        <TopicName name={name} />
      </h1>
      {topic && (
        <>
          <Chip icon={topic.visibility === 'private' ? 'lock' : 'globe'}>
            {texts.topic.visibility[topic.visibility]}
          </Chip>
          <span className="flex-1" />
          <Popover
            label={texts.about.open}
            className="grid w-80 gap-5 p-4"
            trigger={<IconButton icon="info" label={texts.about.open} className="xl:hidden" />}
          >
            <AboutTopic topic={topic} members={members} />
          </Popover>
          {topic.role && (
            <ButtonLink size="sm" look="ghost" icon="settings" to={places.topicSettings(name)}>
              {texts.nav.settings}
            </ButtonLink>
          )}
          <FollowButton topic={topic} look="primary" />
        </>
      )}
    </div>
  )

  return (
    <FeedFrame rail={<Rail label={texts.about.open}>{topic && <AboutTopic topic={topic} members={members} />}</Rail>}>
      <FeedPage topic={name} header={header} />
    </FeedFrame>
  )
}
