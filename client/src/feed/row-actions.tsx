// What one can do with a row: a small bar over its upper edge, so that it covers neither headline nor time. Loaded when
// somebody first is at a row.
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { FeedItem } from '#shared/feed.ts'
import type { Person } from '#shared/person.ts'
import { places } from '../lib/places.ts'
import { trpc } from '../lib/trpc.ts'
import { usePersonLive } from '../live/live-context.ts'
import { isOwn } from '../live/unread.ts'
import { editTexts } from '../texts/edit.ts'
import { feedTexts } from '../texts/feed.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { useToast } from '../ui/toast.tsx'
import { headlineText, mainUrl } from './headline.ts'
import { openOut } from './open-out.ts'
import { ReactButton } from './react-button.tsx'

type Props = {
  item: FeedItem
  me: Person
  onMenu: (open: boolean) => void
  onComment: () => void
  onEdit: () => void
  onDelete: () => void
}

const BUTTON = 'size-7! pointer-coarse:size-11!'

export function RowActions({ item, me, onMenu, onComment, onEdit, onDelete }: Props) {
  const { mark } = usePersonLive()
  const toast = useToast()
  const [, navigate] = useLocation()
  const url = mainUrl(item)
  const { data: topics } = useQuery(trpc.topics.list.queryOptions())
  const isOwner = topics?.find(({ id }) => id === item.topic.id)?.role === 'owner'
  const mayChange = isOwner || isOwn(item, me)

  const copy = async (text: string, done: string) => {
    try {
      await navigator.clipboard.writeText(text)
      toast.show({ text: done })
    } catch {
      toast.show({ text: feedTexts.row.copyFailed, tone: 'bad' })
    }
  }
  const words = [headlineText(item, me), item.summary].filter(Boolean).join('\n')
  const openEntry: MenuEntry[] = url
    ? [{ text: feedTexts.row.open, icon: 'external', keys: ['Enter'], onSelect: () => openOut(url) }]
    : []

  return (
    <div
      role="toolbar"
      aria-label={feedTexts.row.actions}
      className="absolute -top-5.25 right-5 z-2 flex rounded-8 bg-raised p-0.5 shadow-2 pointer-coarse:-top-9.25 max-md:right-3"
    >
      <ReactButton
        item={item}
        onOpenChange={onMenu}
        trigger={<IconButton icon="react" label={feedTexts.talk.react} keys={['E']} data-react className={BUTTON} />}
      />
      <IconButton icon="comment" label={feedTexts.talk.comment} keys={['R']} onClick={onComment} className={BUTTON} />
      <IconButton
        icon={item.read ? 'eye' : 'check'}
        label={item.read ? feedTexts.row.markUnread : feedTexts.row.markRead}
        keys={['M']}
        onClick={() => mark([item], !item.read)}
        className={BUTTON}
      />
      {url && (
        <IconButton
          icon="link"
          label={feedTexts.row.copyLink}
          onClick={() => void copy(url, feedTexts.row.linkCopied)}
          className={BUTTON}
        />
      )}
      <Menu
        label={feedTexts.row.more}
        onOpenChange={onMenu}
        trigger={<IconButton icon="more" label={feedTexts.row.more} className={BUTTON} />}
        entries={[
          ...openEntry,
          {
            text: feedTexts.row.openPage,
            icon: 'comment',
            onSelect: () => navigate(places.activity(item.id)),
          },
          { text: feedTexts.row.copyText, icon: 'copy', onSelect: () => void copy(words, feedTexts.row.textCopied) },
          {
            text: feedTexts.row.goTo(item.topic.name),
            icon: 'hash',
            onSelect: () => navigate(places.topic(item.topic.name)),
          },
          // What a tool reported is not for people to reword.
          ...(mayChange && item.actor.kind === 'person'
            ? [{ text: editTexts.edit, icon: 'pencil' as const, onSelect: onEdit }]
            : []),
          ...(mayChange ? [{ text: editTexts.remove, icon: 'trash' as const, danger: true, onSelect: onDelete }] : []),
        ]}
      />
    </div>
  )
}
