// One activity. It knows its own item and whether it is selected; what happens to it is the list's business.
import { memo } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import type { Person } from '#shared/person.ts'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { signOf } from './headline.ts'
import { RowDetails } from './row-details.tsx'
import { RowHeadline } from './row-headline.tsx'
import { RowText } from './row-text.tsx'
import { timeOf } from './rows.ts'
import { exactTime, shortTime } from './when.ts'

type Props = { item: FeedItem; me: Person; now: number; joined: boolean }

export const ActivityRow = memo(function ActivityRow({ item, me, now, joined }: Props) {
  const mentioned = item.mentions.includes(me.handle)
  const { time } = timeOf(item)
  const headline = `headline-${item.id}`
  return (
    <article
      aria-labelledby={headline}
      className={`relative grid grid-cols-[var(--avatar)_minmax(0,1fr)] gap-x-(--row-gap) bg-(--row-bg) py-(--row-pad-y) pr-(--gutter-r) pl-(--gutter-l) ${mentioned ? '[--row-bg:var(--bg-mention-tint)]' : '[--row-bg:var(--bg-surface)]'} ${joined ? '' : ''}`}
    >
      <RowAvatar item={item} mentioned={mentioned} />
      <div className="min-w-0">
        <div className="flex items-start gap-3">
          <RowHeadline item={item} me={me} id={headline} />
          <time dateTime={item.publishedAt} title={exactTime(time)} className="text-12 leading-5 text-ink-3">
            {shortTime(time, now)}
          </time>
        </div>
        {item.summary !== '' && <RowText text={item.summary} handle={me.handle} />}
        <RowDetails item={item} />
      </div>
      {!item.read && <span className="sr-only">{feedTexts.unread}</span>}
    </article>
  )
})

function RowAvatar({ item, mentioned }: { item: FeedItem; mentioned: boolean }) {
  const sign = signOf(item, mentioned)
  if (item.actor.kind === 'tool') return <Avatar kind="tool" icon={sign?.icon ?? 'bot'} tone={sign?.tone ?? 'plain'} />
  return <Avatar handle={item.actor.handle} name={item.actor.name} {...(sign ? { badge: sign } : {})} />
}
