// A few reactions to choose from. Arrow keys move between them, like in any grid.
import type { KeyboardEvent } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { useTalk } from '../hooks/useTalk.ts'
import { usePersonLive } from '../live/live-context.ts'
import { threadTexts } from '../texts/thread.ts'

const COLUMNS = 6
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }

function step(event: KeyboardEvent<HTMLElement>) {
  const by = STEPS[event.key]
  if (by === undefined) return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  buttons[at + by]?.focus()
}

export function Palette({ item, onDone }: { item: FeedItem; onDone: () => void }) {
  const { reactor } = usePersonLive()
  const { own } = useTalk(item)
  return (
    <div
      role="toolbar"
      aria-label={threadTexts.label}
      onKeyDown={step}
      className="grid gap-0.5"
      style={{ gridTemplateColumns: `repeat(${COLUMNS}, auto)` }}
    >
      {Object.entries(threadTexts.emoji).map(([emoji, name]) => (
        <button
          key={emoji}
          type="button"
          aria-label={name}
          aria-pressed={own.emoji === emoji}
          onClick={() => {
            reactor.react(item.id, own.emoji === emoji ? null : emoji)
            onDone()
          }}
          className="grid size-8 place-items-center rounded-6 text-16 hover:bg-active aria-pressed:bg-accent-tint pointer-coarse:size-11"
        >
          {emoji}
        </button>
      ))}
    </div>
  )
}
