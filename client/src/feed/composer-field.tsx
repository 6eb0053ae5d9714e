// Where a post is written: grows with the text and posts by Ctrl + Enter. Completion is loaded with the first `@` or `#`;
// it says which list the field owns, so that the field stays a text box for assistive technology.
import { type KeyboardEvent, Suspense, useRef, useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { feedTexts } from '../texts/feed.ts'
import type { CompletionHandle, Listing } from './composer-completion.tsx'
import type { Writing } from './use-composing.ts'

const texts = feedTexts.composer

const ComposerCompletion = lazyPart(
  () => import('./composer-completion.tsx'),
  (module) => module.ComposerCompletion,
)

type Props = {
  composing: Writing
  label?: string
  onLeave?: () => void
  className: string
  listClassName: string
}

export function ComposerField({ composing, onLeave, className, listClassName, ...own }: Props) {
  const { field, draft, send } = composing
  const [caret, setCaret] = useState<number | null>(null)
  const [listing, setListing] = useState<Listing | null>(null)
  const completion = useRef<CompletionHandle>(null)
  const label = own.label ?? (draft.target === null ? texts.placeholderAny : texts.placeholder(draft.target))

  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      send()
    } else if (completion.current?.press(event.key, event.shiftKey)) event.preventDefault()
    else if (event.key === 'Escape') onLeave?.()
  }

  return (
    <>
      <textarea
        ref={field}
        rows={1}
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={listing?.id}
        aria-activedescendant={listing?.active}
        aria-invalid={draft.left < 0}
        value={draft.text}
        onChange={(event) => {
          draft.write(event.target.value)
          setCaret(event.target.selectionEnd)
        }}
        onSelect={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget
          setCaret(selectionStart === selectionEnd ? selectionEnd : null)
        }}
        onBlur={() => setCaret(null)}
        onKeyDown={press}
        className={`field-sizing-content min-w-0 resize-none bg-transparent outline-none focus-visible:shadow-none ${className}`}
      />
      {/[@#]/.test(draft.text) && (
        <Suspense>
          <ComposerCompletion
            ref={completion}
            composing={composing}
            caret={caret}
            onCaret={setCaret}
            onListing={setListing}
            className={listClassName}
          />
        </Suspense>
      )}
    </>
  )
}
