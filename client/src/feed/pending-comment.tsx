import { useMe } from '../lib/use-me.ts'
import type { Pending, Threads } from '../live/threads.ts'
import { feedTexts } from '../texts/feed.ts'
import { threadTexts } from '../texts/thread.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'

/** A comment that the server does not have yet. */
export function PendingComment({ pending, threads }: { pending: Pending; threads: Threads }) {
  const { handle, name } = useMe()
  return (
    <div className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-2">
      <Avatar handle={handle} name={name} size="20px" pending />
      <div className="min-w-0 text-13 wrap-anywhere text-ink-2">
        <span className="font-semibold text-ink">{feedTexts.row.you}</span>{' '}
        <span className="whitespace-pre-wrap">{pending.text}</span>{' '}
        {pending.failed === null ? (
          <Chip icon="clock">{threadTexts.sending}</Chip>
        ) : (
          <span role="alert" className="flex flex-wrap items-center gap-2 py-1">
            <Chip tone="bad" icon="warning">
              {threadTexts.notSent}
            </Chip>
            <span>{pending.failed}</span>
            <Button size="sm" onClick={() => threads.again(pending)}>
              {threadTexts.again}
            </Button>
            <Button look="ghost" size="sm" onClick={() => threads.discard(pending.key)}>
              {threadTexts.discard}
            </Button>
          </span>
        )}
      </div>
    </div>
  )
}
