import { Fragment } from 'react'
import type { Segment } from '#shared/search.ts'

/** A text with the words that were searched for marked. */
export function Marked({ segments }: { segments: readonly Segment[] }) {
  let at = 0
  return segments.map(({ text, hit }) => {
    at += text.length
    return hit ? (
      <mark key={at} className="rounded-4 bg-mention-chip text-ink">
        {text}
      </mark>
    ) : (
      <Fragment key={at}>{text}</Fragment>
    )
  })
}
