// The comments on an activity, in place: threads one level deep along a line, earlier ones on demand, and a field.
import { useState } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { useSeenWhileShown } from '../hooks/useNotices.ts'
import { threadTexts } from '../texts/thread.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { CommentField } from './comment-field.tsx'
import { CommentLine } from './comment-line.tsx'
import { PendingComment } from './pending-comment.tsx'
import { useThread } from './use-thread.ts'

type Props = { item: FeedItem; focus: boolean; onClose?: () => void }

export function ThreadPart({ item, focus, onClose }: Props) {
  const { threads, views, changes, pending, earlier, hasEarlier, failed, retry } = useThread(item)
  useSeenWhileShown(item.id)
  /** The thread that is being answered, and whom in it. */
  const [answering, setAnswering] = useState<{ root: number; name: string } | null>(null)
  const line = { item, threads, changes }
  return (
    <section
      aria-label={threadTexts.label}
      data-thread
      className="mt-2 grid max-w-(--measure) grid-cols-[minmax(0,1fr)] gap-1.5 border-l-2 border-line pl-3"
    >
      {failed && <ErrorNote title={threadTexts.failed} onRetry={retry} />}
      {views === null && !failed && (
        <div role="status">
          <span className="sr-only">{threadTexts.loading}</span>
          <Skeleton className="h-5 w-60" />
        </div>
      )}
      {hasEarlier && (
        <button
          type="button"
          onClick={() => void threads.earlier(item.id)}
          className="flex min-h-(--target-min) items-center gap-1 self-start text-12 font-medium text-ink-2 hover:text-ink"
        >
          <Icon name="chevron-up" size={12} />
          {earlier > 0 ? threadTexts.earlier(earlier) : threadTexts.earlierSome}
        </button>
      )}
      {views?.map(({ root, replies }) => (
        <div key={root.id} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
          <CommentLine
            {...line}
            comment={root}
            onReply={() => setAnswering({ root: root.id, name: root.author.name })}
          />
          {(replies.length > 0 || answering?.root === root.id || pending.some(({ parent }) => parent === root.id)) && (
            <div className="ml-2.5 grid grid-cols-[minmax(0,1fr)] gap-1.5 border-l-2 border-line-faint pl-4">
              {replies.map((reply) => (
                <CommentLine
                  key={reply.id}
                  {...line}
                  comment={reply}
                  onReply={() => setAnswering({ root: root.id, name: reply.author.name })}
                />
              ))}
              {pending
                .filter(({ parent }) => parent === root.id)
                .map((one) => (
                  <PendingComment key={one.key} pending={one} threads={threads} />
                ))}
              {answering?.root === root.id && (
                <CommentField
                  key={answering.name}
                  label={threadTexts.replyTo(answering.name)}
                  topic={item.topic.name}
                  place={`${item.id}/${root.id}`}
                  threads={threads}
                  focus
                  onLeave={() => setAnswering(null)}
                  onSend={(text) => {
                    threads.say(item.id, root.id, text)
                    setAnswering(null)
                  }}
                />
              )}
            </div>
          )}
        </div>
      ))}
      {pending
        .filter(({ parent }) => parent === null)
        .map((one) => (
          <PendingComment key={one.key} pending={one} threads={threads} />
        ))}
      <CommentField
        label={threadTexts.write}
        topic={item.topic.name}
        place={`${item.id}`}
        threads={threads}
        focus={focus}
        {...(onClose ? { onLeave: onClose } : {})}
        onSend={(text) => threads.say(item.id, null, text)}
      />
    </section>
  )
}
