// Every topic one can see, with a way to follow it from here.
import { useState } from 'react'
import { Link } from 'wouter'
import type { TopicView } from '#shared/topic.ts'
import { places } from '../lib/places.ts'
import { useTitle } from '../lib/use-title.ts'
import { useShell } from '../shell/shell-context.ts'
import { texts } from '../texts/shell.ts'
import { topicTexts } from '../texts/topics.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Input } from '../ui/input.tsx'
import { Page } from '../ui/page.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { FollowButton } from './follow-button.tsx'
import { TopicName } from './topic-name.tsx'
import { sentence, useTopics } from './use-topics.ts'

const t = topicTexts.browse

export function BrowsePage() {
  useTitle(t.title)
  const shell = useShell()
  const topics = useTopics()
  const [typed, setTyped] = useState('')
  const query = typed.trim().toLowerCase()
  const found = (topics.data ?? [])
    .filter((topic) => topic.name.includes(query) || topic.description.toLowerCase().includes(query))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))

  return (
    <Page
      title={t.title}
      hint={t.hint}
      actions={
        <Button look="primary" icon="plus" onClick={shell.openCreate}>
          {texts.nav.create}
        </Button>
      }
    >
      <Input
        type="search"
        aria-label={t.filter}
        placeholder={t.filter}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="mb-4 max-w-95"
      />
      {topics.isPending && <SkeletonLines />}
      {topics.error && !topics.data && (
        <ErrorNote title={texts.failed.page} onRetry={() => void topics.refetch()}>
          {sentence(topics.error)}
        </ErrorNote>
      )}
      {topics.data?.length === 0 && (
        <EmptyState icon="hash" title={t.none}>
          {t.noneHint}
        </EmptyState>
      )}
      {found.length === 0 && query !== '' && (
        <p role="status" className="py-6 text-ink-2">
          {t.noMatch(typed.trim())}
        </p>
      )}
      {found.length > 0 && (
        <ul className="rounded-8 border border-line">
          {found.map((topic) => (
            <TopicRow key={topic.id} topic={topic} />
          ))}
        </ul>
      )}
    </Page>
  )
}

function TopicRow({ topic }: { topic: TopicView }) {
  const locked = topic.visibility === 'private'
  return (
    <li className="flex items-center gap-3 border-line-faint px-3.5 py-2.5 not-first:border-t hover:bg-hover">
      <span className="grid size-8 flex-none place-items-center rounded-6 bg-active text-ink-2 max-sm:hidden">
        <Icon name={locked ? 'lock' : 'hash'} />
      </span>
      <div className="min-w-0 flex-1">
        <Link
          to={places.topic(topic.name)}
          className="font-semibold wrap-anywhere text-ink no-underline hover:underline"
        >
          <TopicName name={topic.name} />
          {locked && (
            <span className="ml-1 inline-block align-[-2px] text-ink-3 sm:hidden">
              <Icon name="lock" />
            </span>
          )}
          {locked && <span className="sr-only">, {texts.nav.private}</span>}
        </Link>
        {topic.description && <p className="line-clamp-2 text-ink-2">{topic.description}</p>}
        <p className="text-12 text-ink-3 tabular-nums">
          {t.followers(topic.followers)}
          <span className="max-sm:hidden"> · {t.activities(topic.headNo)}</span>
        </p>
      </div>
      <FollowButton topic={topic} />
    </li>
  )
}
