// Type to go somewhere: topics one can see, and our pages. A text field that owns a list (the combobox pattern): focus
// stays in the field, the arrow keys move the choice.
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { places } from '../lib/places.ts'
import { texts } from '../texts/shell.ts'
import { TopicName } from '../topics/topic-name.tsx'
import { useTopics } from '../topics/use-topics.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { OptionList, optionId } from '../ui/option-list.tsx'
import { optionStep } from '../ui/option-step.ts'
import { type Place, rankPlaces } from './rank-places.ts'

type Found = Place & { icon: IconName; isTopic: boolean }

const PAGES: Found[] = [
  { to: places.all, text: texts.nav.all, followed: false, icon: 'inbox', isTopic: false },
  { to: places.mentions, text: texts.nav.mentions, followed: false, icon: 'at', isTopic: false },
  { to: places.topics, text: texts.nav.browse, followed: false, icon: 'search', isTopic: false },
  { to: places.settings, text: texts.nav.settings, followed: false, icon: 'settings', isTopic: false },
  { to: places.developers, text: texts.nav.developers, followed: false, icon: 'terminal', isTopic: false },
]

export function GoTo({ onOpenChange }: { onOpenChange: (open: boolean) => void }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const { data: topics = [] } = useTopics()
  const [, navigate] = useLocation()
  const listId = useId()

  const all: Found[] = topics.map((topic) => ({
    to: places.topic(topic.name),
    text: topic.name,
    followed: topic.following,
    icon: topic.visibility === 'private' ? 'lock' : 'hash',
    isTopic: true,
  }))
  const found = rankPlaces([...all, ...PAGES], query) as Found[]
  const at = Math.min(chosen, found.length - 1)

  const go = (place: Found | undefined) => {
    if (!place) return
    onOpenChange(false)
    navigate(place.to)
  }
  const press = (event: KeyboardEvent) => {
    const next = optionStep(event.key, at, found.length)
    if (next !== null) {
      event.preventDefault()
      setChosen(next)
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      go(found[at])
    }
  }

  return (
    <Dialog open onOpenChange={onOpenChange} title={texts.go.title} hideTitle>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Icon name="search" className="text-ink-3" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label={texts.go.field}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={found.length > 0 ? optionId(listId, at) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={texts.go.placeholder}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setChosen(0)
          }}
          onKeyDown={press}
          className="h-12 w-full min-w-0 bg-transparent text-14 outline-none focus-visible:shadow-none"
        />
      </div>
      {found.length === 0 ? (
        <p role="status" className="px-4 py-6 text-center text-ink-2">
          {texts.go.none(query.trim())}
        </p>
      ) : (
        <OptionList
          id={listId}
          label={texts.go.results}
          options={found}
          at={at}
          keyOf={(place) => place.to}
          onPoint={setChosen}
          onPick={go}
          className="p-1.5"
        >
          {(place) => (
            <>
              <Icon name={place.icon} className="text-ink-3" />
              <span className="min-w-0 flex-1 truncate font-medium">
                {place.isTopic ? <TopicName name={place.text} /> : place.text}
              </span>
              {place.followed && <span className="text-12 text-ink-3">{texts.go.following}</span>}
            </>
          )}
        </OptionList>
      )}
    </Dialog>
  )
}
