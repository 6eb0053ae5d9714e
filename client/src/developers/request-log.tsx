// What one's tools asked, as it happens, with the answer. Asked for every two seconds while somebody looks.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestEntry } from '#shared/request-log.ts'
import { clockTimeExact, exactTime } from '../feed/when.ts'
import { trpc } from '../lib/trpc.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { Nothing, Section } from './section.tsx'

const t = webhookTexts.requests
const EVERY_MS = 2_000

export function RequestLog() {
  const [paused, setPaused] = useState(false)
  const [key, setKey] = useState<string | null>(null)
  const log = useQuery({
    ...trpc.webhooks.requests.queryOptions(),
    staleTime: 0,
    refetchInterval: paused ? false : EVERY_MS,
  })
  const names = [...new Set(log.data?.map((entry) => entry.key))].sort()
  const shown = log.data?.filter((entry) => key === null || entry.key === key) ?? []
  return (
    <Section
      title={
        <span className="flex items-center gap-2">
          <span
            aria-hidden="true"
            className={`size-2 rounded-full ${paused || log.isError ? 'bg-ink-3' : 'bg-live shadow-[0_0_0_3px_var(--live-tint)]'}`}
          />
          {paused ? t.pausedTitle : t.title}
        </span>
      }
      action={
        <>
          {names.length > 1 && (
            <Menu
              label={t.filter}
              align="end"
              entries={[
                { text: t.all, checked: key === null, onSelect: () => setKey(null) },
                'line',
                ...names.map((name) => ({ text: name, checked: name === key, onSelect: () => setKey(name) })),
              ]}
              trigger={
                <Button look="ghost" size="sm" aria-label={`${t.filter}: ${key ?? t.all}`}>
                  {key ?? t.all}
                  <Icon name="chevron-down" size={12} className="text-ink-3" />
                </Button>
              }
            />
          )}
          <Button look="ghost" size="sm" onClick={() => setPaused(!paused)}>
            {paused ? t.resume : t.pause}
          </Button>
        </>
      }
    >
      {log.isPending && <SkeletonLines count={3} />}
      {log.isError && !log.data && <ErrorNote title={t.failed} onRetry={() => void log.refetch()} />}
      {log.data && shown.length === 0 && <Nothing title={t.none}>{t.noneHint}</Nothing>}
      {shown.length > 0 && (
        <ol aria-label={t.list} className="max-h-105 overflow-y-auto rounded-8 border border-line font-mono text-12">
          {shown.map((entry) => (
            <Line key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </Section>
  )
}

const tone = (status: number) => (status < 400 ? 'text-ok' : 'text-bad')

function Line({ entry }: { entry: RequestEntry }) {
  const { at, path, status, tookMs, key, note } = entry
  const said = [key, note].filter(Boolean).join(' · ')
  return (
    <li className="grid grid-cols-[64px_34px_minmax(0,1fr)_56px] items-baseline gap-x-2 border-line-faint px-3 py-1 not-first:border-t">
      <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="text-ink-3">
        {clockTimeExact(at)}
      </time>
      <span className={`font-semibold ${tone(status)}`}>{status}</span>
      <span className="min-w-0 truncate text-ink-2" title={said}>
        {path} <span className="text-ink-3">{said}</span>
      </span>
      <span className="text-right text-ink-3 tabular-nums">{tookMs} ms</span>
    </li>
  )
}
