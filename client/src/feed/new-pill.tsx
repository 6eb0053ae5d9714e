import type { FeedItem } from '#shared/feed.ts'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'

const FACES = 3

/** How many wait above the list. It hangs under what is above the rows and stays in sight when they scroll. */
export function NewPill({ held, onClick }: { held: readonly FeedItem[]; onClick: () => void }) {
  if (held.length === 0) return null
  const people = new Map(held.flatMap(({ actor }) => (actor.kind === 'person' ? [[actor.id, actor] as const] : [])))
  return (
    <div className="pointer-events-none sticky top-2 z-(--z-pill) grid h-0 justify-items-center overflow-visible">
      <button
        type="button"
        aria-label={feedTexts.showNew(held.length)}
        onClick={onClick}
        className="pointer-events-auto mt-1 inline-flex h-8 items-center gap-2 rounded-full bg-accent pr-3 pl-1.5 font-semibold text-on-accent shadow-2 hover:bg-accent-hover pointer-coarse:h-11 motion-safe:animate-[fade_var(--t-base)_var(--ease-out)]"
      >
        <span className="flex pl-1.5">
          {[...people.values()].slice(0, FACES).map(({ id, handle, name }) => (
            <span key={id} className="-ml-1.5 rounded-full ring-2 ring-accent">
              <Avatar handle={handle} name={name} size="20px" />
            </span>
          ))}
        </span>
        <span className="tabular-nums">{feedTexts.newItems(held.length)}</span>
        <Icon name="arrow-up" size={14} />
      </button>
    </div>
  )
}
