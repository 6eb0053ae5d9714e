import type { TopicView } from '#shared/topic.ts'
import { texts } from '../texts/shell.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { useFollow } from './use-topics.ts'

/** "Follow", or what one does now with the ways to change it. */
export function FollowButton({ topic, look = 'plain' }: { topic: TopicView; look?: 'plain' | 'primary' }) {
  const change = useFollow()
  const { name, muted } = topic
  if (!topic.following) {
    return (
      <Button size="sm" look={look} icon="plus" onClick={() => void change({ topic: name, action: 'follow' })}>
        {texts.topic.follow}
      </Button>
    )
  }
  return (
    <Menu
      label={texts.topic.menu}
      trigger={
        <Button size="sm" icon={muted ? 'bell-off' : 'check'}>
          {muted ? texts.topic.mutedState : texts.topic.following}
          <Icon name="chevron-down" size={12} className="text-ink-3" />
        </Button>
      }
      entries={[
        {
          text: muted ? texts.topic.unmute : texts.topic.mute,
          icon: muted ? 'bell' : 'bell-off',
          ...(muted ? {} : { hint: texts.topic.muteHint }),
          onSelect: () => void change({ topic: name, action: muted ? 'unmute' : 'mute' }),
        },
        {
          text: texts.topic.unfollow,
          icon: 'x',
          onSelect: () => void change({ topic: name, action: 'unfollow' }),
        },
      ]}
    />
  )
}
