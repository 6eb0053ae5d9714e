// People after `@` and topics after `#`, offered while a post is written. Focus and keys stay in the field, which hands
// keys on and names the chosen option as its own; how many fit is said out loud.
import { type Ref, useEffect, useId, useImperativeHandle } from 'react'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { OptionList, optionId } from '../ui/option-list.tsx'
import { optionStep } from '../ui/option-step.ts'
import { replacement } from './completion.ts'
import type { Writing } from './use-composing.ts'
import { type Suggestion, useNaming } from './use-naming.ts'

const texts = feedTexts.composer

/** The list that is open, by its id, and the option in it that is chosen. */
export type Listing = { id: string; active: string }
/** Answers whether the key was meant for the list. */
export type CompletionHandle = { press: (key: string, shift: boolean) => boolean }

type Props = {
  ref: Ref<CompletionHandle>
  composing: Writing
  caret: number | null
  onCaret: (caret: number) => void
  onListing: (listing: Listing | null) => void
  className: string
}

export function ComposerCompletion({ ref, composing, caret, onCaret, onListing, className }: Props) {
  const id = useId()
  const { field, draft } = composing
  const { naming, found, at, choose, refuse } = useNaming(draft.text, caret, draft.target)
  const active = found.length > 0 ? optionId(id, at) : null

  useEffect(() => {
    onListing(active === null ? null : { id, active })
    return () => onListing(null)
  }, [id, active, onListing])

  const pick = (suggestion: Suggestion | undefined) => {
    const element = field.current
    if (!element || !naming || !suggestion) return
    // In the element itself first: it keeps the caret where the text goes on.
    element.setRangeText(replacement(draft.text, naming, suggestion.name), naming.from, naming.to, 'end')
    draft.write(element.value)
    onCaret(element.selectionEnd)
    element.focus()
  }

  useImperativeHandle(ref, () => ({
    press(key, shift) {
      if (found.length === 0) return false
      const next = optionStep(key, at, found.length)
      if (next !== null) choose(next)
      else if (key === 'Escape') refuse()
      else if ((key === 'Enter' || key === 'Tab') && !shift) pick(found[at])
      else return false
      return true
    },
  }))

  return (
    <>
      {found.length > 0 && (
        <OptionList
          id={id}
          label={naming?.mark === '#' ? texts.topics : texts.people}
          options={found}
          at={at}
          keyOf={({ kind, name }) => `${kind} ${name}`}
          onPoint={choose}
          onPick={pick}
          className={className}
        >
          {(suggestion) => <Suggested suggestion={suggestion} />}
        </OptionList>
      )}
      <span role="status" className="sr-only">
        {naming ? texts.results(found.length) : ''}
      </span>
    </>
  )
}

function Suggested({ suggestion }: { suggestion: Suggestion }) {
  if (suggestion.kind === 'topic') {
    return (
      <>
        <Icon name={suggestion.isPrivate ? 'lock' : 'hash'} className="text-ink-3" />
        <span className="min-w-0 flex-1 truncate font-medium">{suggestion.name}</span>
      </>
    )
  }
  const { handle, name } = suggestion.person
  return (
    <>
      <Avatar handle={handle} name={name} size="24px" />
      <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
      <span className="text-12 text-ink-3">@{handle}</span>
    </>
  )
}
