// What both composers do, the one in the page and the phone's sheet: the draft, its field, and the way to send.
import { useRef, useState } from 'react'
import { useDraft } from './use-draft.ts'

export type Composing = ReturnType<typeof useComposing>

/** What a field needs to know of what is being written in it. */
export type Writing = Pick<Composing, 'field' | 'send'> & {
  draft: Pick<Composing['draft'], 'text' | 'target' | 'left' | 'write'>
}

export function useComposing(pageTopic: string | undefined, onSent: () => void) {
  const draft = useDraft(pageTopic)
  const field = useRef<HTMLTextAreaElement>(null)
  const [aiming, setAiming] = useState(false)
  return {
    draft,
    field,
    aiming,
    setAiming,
    send() {
      if (!draft.ready) return
      // Without a topic there is one thing left to say first.
      if (draft.target === null) return setAiming(true)
      draft.send()
      onSent()
    },
    /** A bare `@` at the caret, from which the list of people opens. */
    mention() {
      const element = field.current
      if (!element) return
      const before = element.value.slice(0, element.selectionStart)
      element.setRangeText(/(^|\s)$/.test(before) ? '@' : ' @', element.selectionStart, element.selectionEnd, 'end')
      element.focus()
      // React hears of it as of anything typed.
      element.dispatchEvent(new Event('input', { bubbles: true }))
    },
  }
}
