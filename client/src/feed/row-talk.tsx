// What was said about an activity, in a line of chips: reactions, another one, and the way to the comments. The thread
// itself is loaded when somebody opens one.
import { Suspense } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { useTalk } from '../hooks/useTalk.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { usePersonLive } from '../live/live-context.ts'
import { feedTexts } from '../texts/feed.ts'
import { Icon } from '../ui/icon.tsx'
import { ReactButton } from './react-button.tsx'

const ThreadPart = lazyPart(
  () => import('./thread-part.tsx'),
  (module) => module.ThreadPart,
)

const CHIP =
  'inline-flex h-6 items-center gap-1 rounded-full border px-2 text-12 font-medium tabular-nums transition-colors duration-(--t-fast) max-md:h-8 max-md:px-2.5'

/** `write`: with the cursor in its field. */
export type ThreadState = 'closed' | 'read' | 'write'

type Props = { item: FeedItem; thread: ThreadState; onThread: (id: number, state: ThreadState) => void }

export function RowTalk({ item, thread, onThread }: Props) {
  const { reactor } = usePersonLive()
  const { reactions, own, comments } = useTalk(item)
  const open = thread !== 'closed'
  if (reactions.length === 0 && comments === 0 && !open) return null
  return (
    <>
      <div className="mt-2 flex flex-wrap items-center gap-1.5">
        {reactions.map(({ emoji, count }) => {
          const mine = own.emoji === emoji
          return (
            <button
              key={emoji}
              type="button"
              aria-pressed={mine}
              aria-label={feedTexts.talk.reaction(emoji, count)}
              onClick={() => reactor.react(item.id, mine ? null : emoji)}
              className={`${CHIP} ${mine ? 'border-accent-line bg-accent-tint text-accent-text' : 'border-line bg-surface text-ink-2 hover:bg-hover'}`}
            >
              <span className="text-14 leading-none">{emoji}</span>
              {count.toLocaleString('en')}
            </button>
          )
        })}
        {reactions.length > 0 && (
          <ReactButton
            item={item}
            trigger={
              <button
                type="button"
                aria-label={feedTexts.talk.react}
                className={`${CHIP} border-line bg-surface text-ink-2 hover:bg-hover`}
              >
                <Icon name="react" size={14} />
              </button>
            }
          />
        )}
        <button
          type="button"
          aria-expanded={open}
          onClick={() => onThread(item.id, open ? 'closed' : 'read')}
          className={`${CHIP} border-transparent text-ink-2 hover:bg-active hover:text-ink`}
        >
          <Icon name="comment" size={14} />
          {comments > 0 ? feedTexts.talk.comments(comments) : feedTexts.talk.comment}
        </button>
      </div>
      {open && (
        <Suspense>
          <ThreadPart item={item} focus={thread === 'write'} onClose={() => onThread(item.id, 'closed')} />
        </Suspense>
      )}
    </>
  )
}
