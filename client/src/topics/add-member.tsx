// Finding somebody by name or handle: a field that owns a list of people (the combobox pattern).
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import type { Person } from '#shared/person.ts'
import { trpc } from '../lib/trpc.ts'
import { topicTexts } from '../texts/topics.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { OptionList, optionId } from '../ui/option-list.tsx'
import { optionStep } from '../ui/option-step.ts'

const t = topicTexts.manage

export function AddMember({ taken, onAdd }: { taken: Set<string>; onAdd: (person: Person) => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const q = useDeferredValue(typed.trim().replace(/^@/, ''))
  const people = useQuery({
    ...trpc.people.complete.queryOptions({ q }),
    enabled: q !== '',
    placeholderData: (before) => before,
  })
  const found = q === '' ? [] : (people.data ?? [])
  const at = Math.min(chosen, found.length - 1)

  const add = (person: Person | undefined) => {
    if (!person || taken.has(person.handle)) return
    setTyped('')
    setChosen(0)
    onAdd(person)
  }
  const press = (event: KeyboardEvent) => {
    const next = optionStep(event.key, at, found.length)
    if (next !== null) {
      event.preventDefault()
      setChosen(next)
    }
    if (event.key === 'Escape') setTyped('')
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      add(found[at])
    }
  }

  return (
    <div className="relative max-w-95">
      <Field label={t.add} hint={t.addHint}>
        <Input
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls={found.length > 0 ? listId : undefined}
          aria-activedescendant={found.length > 0 ? optionId(listId, at) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
      </Field>
      {found.length > 0 && (
        <OptionList
          id={listId}
          label={t.add}
          options={found}
          at={at}
          keyOf={(person) => person.id}
          isOff={(person) => taken.has(person.handle)}
          onPoint={setChosen}
          onPick={add}
          className="floating absolute inset-x-0 top-full mt-1 max-h-72 rounded-8! p-1"
        >
          {(person) => (
            <>
              <Avatar handle={person.handle} name={person.name} size="24px" />
              <span className="min-w-0 flex-1 truncate font-medium">{person.name}</span>
              <span className="text-12 text-ink-3">{taken.has(person.handle) ? t.alreadyIn : `@${person.handle}`}</span>
            </>
          )}
        </OptionList>
      )}
      {q !== '' && people.data?.length === 0 && (
        <p role="status" className="mt-1 text-12 text-ink-2">
          {t.addNone(q)}
        </p>
      )}
    </div>
  )
}
