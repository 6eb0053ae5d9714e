// Everything one can see, by words: topics by name, activities by what they say, newest first.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import { SEARCH_MAX_CHARS } from '#shared/limits.ts'
import { places } from '../lib/places.ts'
import { useMe } from '../lib/use-me.ts'
import { useTitle } from '../lib/use-title.ts'
import { usePersonLive } from '../live/live-context.ts'
import { rankPlaces } from '../shell/rank-places.ts'
import { searchTexts } from '../texts/search.ts'
import { TopicName } from '../topics/topic-name.tsx'
import { sentence, useTopics } from '../topics/use-topics.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Input } from '../ui/input.tsx'
import { Page } from '../ui/page.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { HitRow } from './hit-row.tsx'
import { useSearch, useTyped } from './use-search.ts'

const t = searchTexts
const TOPICS_SHOWN = 5

export function SearchPage() {
  const field = useRef<HTMLInputElement>(null)
  const { q, typed, setTyped } = useTyped(field)
  useTitle(q === '' ? t.title : t.titleOf(q))
  const empty = q === ''
  useEffect(() => {
    if (empty) field.current?.focus()
  }, [empty])
  return (
    <Page narrow title={t.title}>
      <search className="relative mb-4 block">
        <Icon name="search" className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-ink-3" />
        <Input
          ref={field}
          type="search"
          data-search-field
          aria-label={t.field}
          placeholder={t.placeholder}
          autoComplete="off"
          spellCheck={false}
          maxLength={SEARCH_MAX_CHARS}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="h-10! pl-9!"
        />
      </search>
      {empty ? (
        <EmptyState icon="search" title={t.start}>
          {t.hint}
        </EmptyState>
      ) : (
        <>
          <TopicMatches q={q} />
          <Results q={q} />
        </>
      )}
    </Page>
  )
}

function TopicMatches({ q }: { q: string }) {
  const { data: topics = [] } = useTopics()
  const all = topics.map(({ name, following }) => ({ to: places.topic(name), text: name, followed: following }))
  const found = rankPlaces(all, q, TOPICS_SHOWN)
  if (found.length === 0) return null
  return (
    <section aria-label={t.topics} className="mb-5">
      <h2 className="mb-1.5 text-12 font-medium text-ink-3">{t.topics}</h2>
      <ul className="flex flex-wrap gap-1.5">
        {found.map(({ to, text }) => (
          <li key={to} className="min-w-0">
            <Link to={to} className={`${buttonClass('plain', 'sm')} max-w-full`}>
              <span className="truncate">
                <TopicName name={text} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Results({ q }: { q: string }) {
  const me = useMe()
  const search = useSearch(q)
  const { cache } = usePersonLive()
  // Drawn anew with every deletion, so that nothing that is gone is found.
  useSyncExternalStore(cache.subscribe, cache.deletions)
  const hits = search.data?.pages.flatMap((page) => page.hits).filter(({ item }) => !cache.isGone(item.id)) ?? []
  const { hasNextPage, isPlaceholderData: stale } = search
  const now = Date.now()
  if (search.fetchStatus === 'paused' && (stale || hits.length === 0))
    return (
      <p role="status" className="py-6 text-ink-2">
        {t.offline}
      </p>
    )
  if (search.isPending) return <SkeletonLines count={4} />
  return (
    <section aria-label={t.results} aria-busy={search.isFetching}>
      <p role="status" className="sr-only">
        {stale ? '' : hits.length === 0 ? t.none(q) : t.found(hits.length, hasNextPage)}
      </p>
      {search.error && (
        <ErrorNote
          title={t.failed}
          onRetry={() => void (search.isFetchNextPageError ? search.fetchNextPage() : search.refetch())}
        >
          {sentence(search.error)}
        </ErrorNote>
      )}
      {hits.length > 0 && (
        <>
          <h2 className="text-12 font-medium text-ink-3">{t.results}</h2>
          <ol className={stale ? 'opacity-60' : ''}>
            {hits.map((hit) => (
              <HitRow key={hit.item.id} hit={hit} me={me} now={now} />
            ))}
          </ol>
        </>
      )}
      {hits.length === 0 && !stale && !search.error && (
        <EmptyState icon="search" title={t.none(q)}>
          {t.noneText}
        </EmptyState>
      )}
      {hasNextPage && !stale && (
        <div className="py-4 text-center">
          <Button busy={search.isFetchingNextPage} onClick={() => void search.fetchNextPage()}>
            {t.older}
          </Button>
        </div>
      )}
    </section>
  )
}
