// The topics that a key is for: native check boxes, or radio buttons where only one may be chosen.
import { useId, useState } from 'react'
import type { TopicView } from '#shared/topic.ts'
import { keyTexts } from '../texts/keys.ts'
import { texts } from '../texts/shell.ts'
import { TopicName } from '../topics/topic-name.tsx'
import { Icon } from '../ui/icon.tsx'
import { Input } from '../ui/input.tsx'

const t = keyTexts.form
/** With more than this, typing finds a topic sooner than looking. */
const MANY = 8

type Props = {
  topics: TopicView[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  single: boolean
  legend?: string
  error: string | undefined
}

export function TopicChoice({ topics, chosen, onChange, single, legend, error }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const query = typed.trim().toLowerCase()
  const found = topics.filter(({ name }) => name.includes(query)).sort((a, b) => a.name.localeCompare(b.name, 'en'))
  const toggle = (name: string) => {
    if (single) return onChange([name])
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
  }
  return (
    <fieldset className="grid min-w-0 gap-1" aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="mb-1 text-13 font-medium">
        {legend ?? (single ? t.topic : t.topics)}
        {!single && chosen.length > 0 && <span className="font-normal text-ink-3"> · {t.chosen(chosen.length)}</span>}
      </legend>
      {topics.length > MANY && (
        <Input
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="mb-1"
        />
      )}
      {found.length === 0 ? (
        <p role="status" className="py-2 text-ink-2">
          {topics.length === 0 ? t.noTopics : t.noMatch(typed.trim())}
        </p>
      ) : (
        <div className="max-h-56 overflow-y-auto rounded-8 border border-line p-1">
          {found.map(({ id: topicId, name, visibility }) => (
            <label
              key={topicId}
              className="flex min-h-(--control-h) cursor-pointer items-center gap-2.5 rounded-6 px-2 py-1 hover:bg-hover has-checked:bg-selected"
            >
              <input
                type={single ? 'radio' : 'checkbox'}
                name={`${id}-topic`}
                checked={chosen.includes(name)}
                onChange={() => toggle(name)}
                className="size-4 flex-none accent-accent"
              />
              <span className="min-w-0 flex-1 wrap-anywhere">
                <TopicName name={name} />
                {visibility === 'private' && <span className="sr-only">, {texts.nav.private}</span>}
              </span>
              {visibility === 'private' && <Icon name="lock" className="text-ink-3" />}
            </label>
          ))}
        </div>
      )}
      {error && (
        <p id={`${id}-error`} className="text-12 text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}
