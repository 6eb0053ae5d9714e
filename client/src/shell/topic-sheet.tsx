// What the topic's header and rail hold on wide screens, as a sheet on phones.
import { places } from '../lib/places.ts'
import { texts } from '../texts/shell.ts'
import { FollowButton } from '../topics/follow-button.tsx'
import { useTopic } from '../topics/use-topics.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AboutTopic } from './rail.tsx'

type Props = { name: string; open: boolean; onOpenChange: (open: boolean) => void }

export function TopicSheet({ name, open, onOpenChange }: Props) {
  const { topic, members } = useTopic(name)
  return (
    <Dialog look="sheet" title={name} open={open} onOpenChange={onOpenChange}>
      {topic && (
        <div className="grid gap-5 px-5 pt-2 pb-6">
          <div className="flex flex-wrap items-center gap-2">
            <Chip icon={topic.visibility === 'private' ? 'lock' : 'globe'}>
              {texts.topic.visibility[topic.visibility]}
            </Chip>
            <span className="flex-1" />
            {topic.role && (
              <ButtonLink size="sm" icon="settings" to={places.topicSettings(name)} onClick={() => onOpenChange(false)}>
                {texts.nav.settings}
              </ButtonLink>
            )}
            <FollowButton topic={topic} />
          </div>
          <AboutTopic topic={topic} members={members} />
        </div>
      )}
    </Dialog>
  )
}
