// Where an activity gets other words, in the place of the old ones. Loaded when somebody first edits one.
import { useEffect, useRef, useState } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { SUMMARY_MAX_CHARS } from '#shared/limits.ts'
import { usePersonLive } from '../live/live-context.ts'
import { editTexts } from '../texts/edit.ts'
import { feedTexts } from '../texts/feed.ts'
import { Button } from '../ui/button.tsx'
import { ComposerField } from './composer-field.tsx'

const COUNT_BELOW = 200

export function RowEdit({ item, onDone }: { item: FeedItem; onDone: () => void }) {
  const { editor } = usePersonLive()
  const [text, setText] = useState(() => editor.draft(item.id) ?? item.summary)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])

  // The row may leave the screen meanwhile; what was written stays.
  const write = (next: string) => {
    setText(next)
    editor.keepDraft(item.id, next)
  }
  const left = SUMMARY_MAX_CHARS - text.trim().length
  const ready = text.trim() !== '' && left >= 0
  const leave = () => {
    editor.keepDraft(item.id, null)
    onDone()
  }
  const send = () => {
    if (!ready) return
    if (text.trim() === item.summary) return leave()
    void editor.edit(item, text.trim())
    onDone()
  }
  return (
    <div className="relative mt-1 max-w-(--measure) rounded-8 border border-line bg-surface focus-within:border-accent-line">
      <ComposerField
        composing={{ field, draft: { text, target: item.topic.name, left, write }, send }}
        label={editTexts.field}
        onLeave={leave}
        className="block max-h-60 w-full px-2.5 py-1.5 text-14 max-md:text-16"
        listClassName="floating absolute top-full left-0 z-(--z-popover) mt-1 max-h-56 w-72 max-w-full p-1"
      />
      <div className="flex items-center justify-end gap-1 p-1">
        {left < COUNT_BELOW && (
          <span role="status" className={`px-1 text-12 tabular-nums ${left < 0 ? 'text-bad' : 'text-ink-3'}`}>
            {feedTexts.composer.left(left)}
          </span>
        )}
        <Button size="sm" onClick={leave}>
          {editTexts.cancel}
        </Button>
        <Button look="primary" size="sm" disabled={!ready} onClick={send}>
          {editTexts.save}
        </Button>
      </div>
    </div>
  )
}
