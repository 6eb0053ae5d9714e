// The keys with which one's tools publish: what each is for, when it was last used, and the way to end it.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyView } from '#shared/api-key.ts'
import { exactTime, shortTime } from '../feed/when.ts'
import { trpc } from '../lib/trpc.ts'
import { keyTexts } from '../texts/keys.ts'
import { texts } from '../texts/shell.ts'
import { sentence } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { CreateKey } from './create-key.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { Nothing, Section } from './section.tsx'

const t = keyTexts

export function KeysSection() {
  const [creating, setCreating] = useState(false)
  const [ending, setEnding] = useState<KeyView | null>(null)
  // Tools use their keys meanwhile: what is shown is asked for again on each visit.
  const keys = useQuery({ ...trpc.apiKeys.list.queryOptions(), staleTime: 0 })
  return (
    <Section
      title={t.title}
      hint={t.short}
      action={
        <Button look="primary" size="sm" icon="plus" onClick={() => setCreating(true)}>
          {t.create}
        </Button>
      }
    >
      {keys.isPending && <SkeletonLines count={3} />}
      {keys.error && !keys.data && (
        <ErrorNote title={texts.failed.page} onRetry={() => void keys.refetch()}>
          {sentence(keys.error)}
        </ErrorNote>
      )}
      {keys.data?.length === 0 && <Nothing title={t.none}>{t.noneHint}</Nothing>}
      {keys.data && keys.data.length > 0 && (
        <ul aria-label={t.list} className="rounded-8 border border-line">
          {keys.data.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoke={() => setEnding(key)} />
          ))}
        </ul>
      )}
      {creating && <CreateKey onClose={() => setCreating(false)} />}
      {ending && <RevokeKey key={ending.id} apiKey={ending} onClose={() => setEnding(null)} />}
    </Section>
  )
}

function KeyRow({ apiKey: key, onRevoke }: { apiKey: KeyView; onRevoke: () => void }) {
  const github = key.kind === 'github'
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line-faint px-3.5 py-3 not-first:border-t">
      <span className="grid size-8 flex-none place-items-center rounded-6 bg-active text-ink-2 max-sm:hidden">
        <Icon name={github ? 'branch' : 'terminal'} />
      </span>
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="min-w-0 font-semibold wrap-anywhere">{key.name}</bdi>
          <Chip>{t.kind[key.kind]}</Chip>
        </p>
        <p className="font-mono text-12 wrap-anywhere text-ink-3">{github ? key.prefix : `sf_${key.prefix}_…`}</p>
        <p className="wrap-anywhere text-ink-2">{key.topics.join(', ')}</p>
        <p className="text-12 text-ink-3">
          <Moment at={key.createdAt} say={t.made} /> ·{' '}
          {key.lastUsedAt ? <Moment at={key.lastUsedAt} say={t.used} /> : t.unused}
        </p>
      </div>
      <Button look="danger" size="sm" aria-label={t.revokeNamed(key.name)} onClick={onRevoke}>
        {t.revoke}
      </Button>
    </li>
  )
}

function Moment({ at, say }: { at: string; say: (when: string) => string }) {
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(time)}>
      {say(shortTime(time, Date.now()))}
    </time>
  )
}
