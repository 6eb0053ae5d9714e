// Where the post goes: says the topic, and finds another one by typing a part of its name.
import { type KeyboardEvent, useId, useState } from 'react'
import type { TopicView } from '#shared/topic.ts'
import { feedTexts } from '../texts/feed.ts'
import { buttonClass } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { OptionList, optionId } from '../ui/option-list.tsx'
import { optionStep } from '../ui/option-step.ts'
import { Popover } from '../ui/popover.tsx'
import { rankTopics } from './completion.ts'

const texts = feedTexts.composer
const MOST = 50

type Props = {
  target: string | null
  topics: readonly TopicView[]
  open: boolean
  onOpenChange: (open: boolean) => void
  onAim: (topic: string) => void
}

export function ComposerTarget({ target, topics, open, onOpenChange, onAim }: Props) {
  return (
    <Popover
      label={texts.choose}
      align="start"
      open={open}
      onOpenChange={onOpenChange}
      // Over the phone's sheet too.
      className="z-(--z-dialog)! w-[min(300px,calc(100vw-16px))]"
      trigger={
        <button type="button" className={`${buttonClass('ghost', 'sm')} min-w-0 shrink!`}>
          <span className="text-ink-3">{texts.to}</span>
          <span className="truncate">{target ?? texts.choose}</span>
          <Icon name="chevron-down" size={14} className="text-ink-3" />
        </button>
      }
    >
      {(close) => (
        <TopicFinder
          topics={topics}
          target={target}
          onPick={(name) => {
            onAim(name)
            close()
          }}
        />
      )}
    </Popover>
  )
}

type FinderProps = { topics: readonly TopicView[]; target: string | null; onPick: (name: string) => void }

function TopicFinder({ topics, target, onPick }: FinderProps) {
  const [query, setQuery] = useState('')
  const listId = useId()
  const found = rankTopics(topics, query, MOST)
  const [chosen, setChosen] = useState(() =>
    Math.max(
      0,
      found.findIndex(({ name }) => name === target),
    ),
  )
  const at = Math.min(chosen, found.length - 1)

  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const next = optionStep(event.key, at, found.length)
    if (next !== null) setChosen(next)
    else if (event.key === 'Enter') {
      const topic = found[at]
      if (topic) onPick(topic.name)
    } else return
    event.preventDefault()
  }

  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Icon name="search" className="text-ink-3" />
        <input
          type="text"
          role="combobox"
          aria-label={texts.choose}
          aria-expanded={found.length > 0}
          aria-controls={listId}
          aria-activedescendant={found.length > 0 ? optionId(listId, at) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={texts.choose}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setChosen(0)
          }}
          onKeyDown={press}
          className="h-10 w-full min-w-0 bg-transparent outline-none focus-visible:shadow-none pointer-coarse:h-11"
        />
      </div>
      {found.length === 0 ? (
        <p role="status" className="px-3 py-4 text-center text-ink-2">
          {texts.results(0)}
        </p>
      ) : (
        <OptionList
          id={listId}
          label={texts.topics}
          options={found}
          at={at}
          keyOf={(topic) => topic.name}
          onPoint={setChosen}
          onPick={(topic) => onPick(topic.name)}
          className="max-h-64 p-1"
        >
          {(topic) => (
            <>
              <Icon name={topic.visibility === 'private' ? 'lock' : 'hash'} className="text-ink-3" />
              <span className="min-w-0 flex-1 truncate font-medium">{topic.name}</span>
              {topic.name === target && <Icon name="check" className="text-accent-text" />}
            </>
          )}
        </OptionList>
      )}
    </>
  )
}
