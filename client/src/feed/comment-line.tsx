// One comment: who, the words, when, and what one may do with it. Its author and owners of the topic may change it.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import type { Comment } from '#shared/talk.ts'
import { trpc } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import type { Change, Threads } from '../live/threads.ts'
import { feedTexts } from '../texts/feed.ts'
import { threadTexts } from '../texts/thread.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { CommentField } from './comment-field.tsx'
import { TextParts } from './row-text.tsx'
import { useDay } from './use-day.ts'
import { exactTime, shortTime } from './when.ts'

type Props = {
  item: FeedItem
  comment: Comment
  threads: Threads
  changes: ReadonlyMap<number, Change>
  onReply: () => void
}

const SMALL =
  'inline-flex min-h-(--target-min) items-center rounded-4 px-1 text-12 font-medium text-ink-2 hover:text-ink'

export function CommentLine({ item, comment, threads, changes, onReply }: Props) {
  const me = useMe()
  const now = useDay()
  const { data: topics } = useQuery(trpc.topics.list.queryOptions())
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null)
  const change = changes.get(comment.id)
  const isOwn = comment.author.id === me.id
  const mayChange = isOwn || topics?.find(({ id }) => id === item.topic.id)?.role === 'owner'
  const time = Date.parse(comment.createdAt)

  if (comment.deleted) return <p className="py-0.5 pl-7 text-13 text-ink-3 italic">{threadTexts.deleted}</p>

  const editing = doing === 'edit' || (change?.failed ?? null) !== null
  return (
    <div className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-2">
      <Avatar handle={comment.author.handle} name={comment.author.name} size="20px" />
      <div className="min-w-0">
        <div className="text-13 wrap-anywhere text-ink-2">
          <span className="font-semibold text-ink">{isOwn ? feedTexts.row.you : comment.author.name}</span>{' '}
          {!editing && (
            <span className="whitespace-pre-wrap text-ink">
              <TextParts text={comment.text} handle={me.handle} />
            </span>
          )}{' '}
          <time dateTime={comment.createdAt} title={exactTime(time)} className="text-12 text-ink-3 tabular-nums">
            {shortTime(time, now)}
          </time>
          {comment.editedAt !== null && (
            <span className="text-12 text-ink-3">
              {' · '}
              {comment.editedBy ? threadTexts.editedBy(comment.editedBy.name) : threadTexts.edited}
            </span>
          )}
        </div>
        {editing ? (
          <>
            {change?.failed && (
              <p role="alert" className="text-12 text-bad">
                {change.failed}
              </p>
            )}
            <CommentField
              label={threadTexts.edit}
              topic={item.topic.name}
              place={`edit/${comment.id}`}
              threads={threads}
              start={change?.text ?? comment.text}
              button={threadTexts.save}
              focus
              onLeave={() => {
                setDoing(null)
                threads.dropChange(comment.id)
              }}
              onSend={(text) => {
                setDoing(null)
                void threads.edit(comment.id, text)
              }}
            />
          </>
        ) : doing === 'delete' ? (
          <p className="flex flex-wrap items-center gap-2 py-1 text-13">
            {threadTexts.confirm}
            <Button look="danger" size="sm" autoFocus onClick={() => void threads.remove(comment.id)}>
              {threadTexts.remove}
            </Button>
            <Button size="sm" onClick={() => setDoing(null)}>
              {threadTexts.keep}
            </Button>
          </p>
        ) : (
          <div className="-ml-1 flex items-center gap-1">
            <button
              type="button"
              aria-label={threadTexts.replyTo(comment.author.name)}
              onClick={onReply}
              className={SMALL}
            >
              {threadTexts.reply}
            </button>
            {mayChange && (
              <Menu
                label={threadTexts.more}
                align="start"
                trigger={
                  <IconButton
                    icon="more"
                    size={14}
                    label={threadTexts.more}
                    className="size-6! pointer-coarse:size-11!"
                  />
                }
                entries={[
                  { text: threadTexts.edit, icon: 'pencil', onSelect: () => setDoing('edit') },
                  { text: threadTexts.remove, icon: 'trash', danger: true, onSelect: () => setDoing('delete') },
                ]}
              />
            )}
          </div>
        )}
      </div>
    </div>
  )
}
