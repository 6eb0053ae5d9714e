// One's own post that the server does not have yet: on its way, waiting for a network, or refused with the reason and
// what can be done about it.
import { Link } from 'wouter'
import { useAddress } from '../lib/address.tsx'
import { places } from '../lib/places.ts'
import { useMe } from '../lib/use-me.ts'
import { usePersonLive } from '../live/live-context.ts'
import type { Post } from '../live/outbox.ts'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Chip } from '../ui/chip.tsx'
import { useToast } from '../ui/toast.tsx'
import { clockTime, shortTime } from './when.ts'

const texts = feedTexts.pending

export function PendingPost({ post, showTopic }: { post: Post; showTopic: boolean }) {
  const { handle, name } = useMe()
  return (
    <li className="flex gap-(--row-gap) py-(--row-pad-y) pr-(--gutter-r) pl-(--gutter-l)">
      <Avatar handle={handle} name={name} pending />
      <div className="min-w-0 flex-1">
        <div className="flex items-start gap-3">
          <p className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1.5">
            <span>
              <b className="font-semibold">{feedTexts.row.you}</b> {texts.posted}
              {showTopic && (
                <>
                  {' '}
                  <span className="text-ink-3">· {post.topic}</span>
                </>
              )}
            </span>
            <PostState post={post} />
            {post.offline && post.state !== 'failed' && (
              <span className="text-12 text-ink-3">{texts.writtenOffline(clockTime(post.writtenAt))}</span>
            )}
          </p>
          <time dateTime={new Date(post.writtenAt).toISOString()} className="text-12 leading-5 text-ink-3 tabular-nums">
            {shortTime(post.writtenAt, Date.now())}
          </time>
        </div>
        <p className="max-w-(--measure) text-14 wrap-anywhere whitespace-pre-wrap text-ink-2 max-md:text-15">
          {post.text}
        </p>
        {post.state === 'failed' && <Refused post={post} />}
      </div>
    </li>
  )
}

function PostState({ post }: { post: Post }) {
  if (post.state === 'failed') {
    return (
      <Chip tone="bad" icon="warning">
        {texts.notSent}
      </Chip>
    )
  }
  return <Chip icon="clock">{post.state === 'sending' ? texts.sending : texts.waiting}</Chip>
}

const ACTION =
  'min-h-(--target-min) rounded-4 font-medium text-accent-text no-underline hover:underline inline-flex items-center'

function Refused({ post }: { post: Post }) {
  const { outbox } = usePersonLive()
  const toast = useToast()
  const { pathname, search } = useAddress()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(post.text)
      toast.show({ text: feedTexts.row.textCopied })
    } catch {
      toast.show({ text: feedTexts.row.copyFailed, tone: 'bad' })
    }
  }
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3">
      <span className="text-bad">{post.reason?.signIn ? texts.sessionEnded : post.reason?.text}</span>
      {post.reason?.signIn ? (
        // Kept on the device; the next session sends it by itself.
        <Link to={places.signIn(pathname + search)} className={ACTION}>
          {texts.signIn}
        </Link>
      ) : (
        <button type="button" className={ACTION} onClick={() => outbox.again(post.key)}>
          {texts.again}
        </button>
      )}
      <button type="button" className={ACTION} onClick={() => void copy()}>
        {texts.copy}
      </button>
      <button type="button" className={ACTION} onClick={() => outbox.discard(post.key)}>
        {texts.discard}
      </button>
    </div>
  )
}
