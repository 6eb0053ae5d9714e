import { feedTexts } from '../texts/feed.ts'
import { Icon } from '../ui/icon.tsx'

/** The way to what is unread further down, while nothing unread is in sight. */
export function NextUnread({ onClick }: { onClick: () => void }) {
  return (
    <div className="pointer-events-none sticky bottom-3 z-(--z-pill) flex h-0 items-end justify-center overflow-visible">
      <button
        type="button"
        onClick={onClick}
        className="pointer-events-auto inline-flex h-8 items-center gap-1.5 rounded-full border border-line bg-surface px-3 font-semibold text-ink-2 shadow-2 hover:text-ink pointer-coarse:h-11"
      >
        {feedTexts.nextUnread}
        <Icon name="chevron-down" size={14} />
      </button>
    </div>
  )
}
