// Where a post is written: grows with the text, completes people after `@` and topics after `#`, posts by Ctrl + Enter.
// It stays a text box for assistive technology; the list it owns is named by the chosen option and counted out loud.
import { type KeyboardEvent, useId } from 'react'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { OptionList, optionId } from '../ui/option-list.tsx'
import { optionStep } from '../ui/option-step.ts'
import { replacement } from './completion.ts'
import type { Composing } from './use-composing.ts'
import { type Suggestion, useNaming } from './use-naming.ts'

const texts = feedTexts.composer

type Props = {
  composing: Composing
  onLeave?: () => void
  className: string
  listClassName: string
}

export function ComposerField({ composing, onLeave, className, listClassName }: Props) {
  const listId = useId()
  const { field, draft, send } = composing
  const { text, target } = draft
  const { naming, found, at, choose, moveTo, refuse } = useNaming(text, target)
  const listing = found.length > 0

  const pick = (suggestion: Suggestion | undefined) => {
    const element = field.current
    if (!element || !naming || !suggestion) return
    // In the element itself first: it keeps the caret where the text goes on.
    element.setRangeText(replacement(text, naming, suggestion.name), naming.from, naming.to, 'end')
    draft.write(element.value)
    moveTo(element.selectionEnd)
    element.focus()
  }

  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      return send()
    }
    if (event.key === 'Escape') return listing ? refuse() : onLeave?.()
    if (!listing) return
    const next = optionStep(event.key, at, found.length)
    if (next !== null) {
      event.preventDefault()
      choose(next)
    } else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      event.preventDefault()
      pick(found[at])
    }
  }

  return (
    <>
      <textarea
        ref={field}
        rows={1}
        aria-label={target === null ? texts.placeholderAny : texts.placeholder(target)}
        placeholder={target === null ? texts.placeholderAny : texts.placeholder(target)}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={listing ? listId : undefined}
        aria-activedescendant={listing ? optionId(listId, at) : undefined}
        aria-invalid={draft.left < 0}
        value={text}
        onChange={(event) => {
          draft.write(event.target.value)
          moveTo(event.target.selectionEnd)
        }}
        onSelect={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget
          moveTo(selectionStart === selectionEnd ? selectionEnd : null)
        }}
        onBlur={() => moveTo(null)}
        onKeyDown={press}
        className={`field-sizing-content min-w-0 resize-none bg-transparent outline-none focus-visible:shadow-none ${className}`}
      />
      {listing && (
        <OptionList
          id={listId}
          label={naming?.mark === '#' ? texts.topics : texts.people}
          options={found}
          at={at}
          keyOf={({ kind, name }) => `${kind} ${name}`}
          onPoint={choose}
          onPick={pick}
          className={listClassName}
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
