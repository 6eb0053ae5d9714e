// Where a comment is written or rewritten. The text is kept outside the row, which may leave the screen meanwhile.
import { useEffect, useRef, useState } from 'react'
import { COMMENT_MAX_CHARS } from '#shared/limits.ts'
import type { Threads } from '../live/threads.ts'
import { feedTexts } from '../texts/feed.ts'
import { threadTexts } from '../texts/thread.ts'
import { Button } from '../ui/button.tsx'
import { ComposerField } from './composer-field.tsx'

const COUNT_BELOW = 200

type Props = {
  label: string
  /** Whose people `@` offers. */
  topic: string
  /** The name under which the draft is kept. */
  place: string
  threads: Threads
  focus?: boolean
  start?: string
  button?: string
  onLeave?: () => void
  onSend: (text: string) => void
}

export function CommentField({ label, topic, place, threads, focus = false, start = '', ...props }: Props) {
  const [text, setText] = useState(() => threads.draft(place) || start)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focus) field.current?.focus()
  }, [focus])

  const write = (next: string) => {
    setText(next)
    threads.keepDraft(place, next)
  }
  const left = COMMENT_MAX_CHARS - text.trim().length
  const ready = text.trim() !== '' && left >= 0
  const send = () => {
    if (!ready) return
    props.onSend(text.trim())
    write('')
  }
  const leave = () => {
    if (text.trim() === start.trim() || text.trim() === '') {
      write('')
      props.onLeave?.()
    }
  }
  return (
    <div className="relative grid grid-cols-[minmax(0,1fr)_auto] items-end gap-1 rounded-8 border border-line bg-surface focus-within:border-accent-line">
      <ComposerField
        composing={{ field, draft: { text, target: topic, left, write }, send }}
        label={label}
        onLeave={leave}
        className="max-h-40 px-2.5 py-1.5 text-13 max-md:text-16"
        listClassName="floating absolute top-full left-0 z-(--z-popover) mt-1 max-h-56 w-72 max-w-full p-1"
      />
      {text !== '' && (
        <span className="flex items-center gap-1 p-1">
          {left < COUNT_BELOW && (
            <span role="status" className={`px-1 text-12 tabular-nums ${left < 0 ? 'text-bad' : 'text-ink-3'}`}>
              {feedTexts.composer.left(left)}
            </span>
          )}
          <Button look="primary" size="sm" disabled={!ready} onClick={send}>
            {props.button ?? threadTexts.send}
          </Button>
        </span>
      )}
    </div>
  )
}
