// Always on screen: how the feed is connected right now. The panel behind it says why, since when and what comes next.
import { Suspense, useState } from 'react'
import { useConnection } from '../hooks/useConnection.ts'
import { useKeptMarks, useOutbox } from '../hooks/useOutbox.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import type { Connection } from '../live/connection.ts'
import { feedTexts } from '../texts/feed.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { CONNECTION_ICONS, connectionWords } from './connection-words.ts'

const texts = feedTexts.connection

const ConnectionPanel = lazyPart(
  () => import('./connection-panel.tsx'),
  (module) => module.ConnectionPanel,
)

const LOOKS: Record<Connection['state'], string> = {
  live: 'bg-live-tint text-live',
  delayed: 'bg-delayed-tint text-delayed',
  polling: 'bg-polling-tint text-polling',
  offline: 'bg-offline-tint text-offline',
  connecting: 'bg-offline-tint text-offline',
  'signed-out': 'bg-bad-tint text-bad',
}

export function ConnectionPill() {
  const { connection, rungs, now, holes, syncedAt, tryNow } = useConnection()
  const posts = useOutbox().filter((post) => post.state !== 'failed').length
  const marks = useKeptMarks()
  const words = connectionWords(connection, { now, holes, posts, marks })
  const said = useChangeOf(connection.state, words.name)

  return (
    <>
      <Popover
        label={texts.label}
        className="w-[min(318px,calc(100vw-16px))]"
        trigger={
          <button
            type="button"
            className={`relative inline-flex h-7 flex-none items-center gap-1.75 rounded-full pr-2.5 pl-2.25 text-12 font-medium whitespace-nowrap transition-colors duration-(--t-base) pointer-coarse:after:absolute pointer-coarse:after:-inset-2 ${LOOKS[connection.state]}`}
          >
            <span className="sr-only">{texts.label}: </span>
            {/* A new key per state: the mark appears anew, once. */}
            <span key={connection.state} className="animate-[appear_var(--t-slow)_var(--ease-out)]">
              <Mark state={connection.state} />
            </span>
            <span>{words.name}</span>
            {words.fact && <span className="font-normal tabular-nums max-[419px]:sr-only">{words.fact}</span>}
          </button>
        }
      >
        <Suspense fallback={<div className="h-56" />}>
          <ConnectionPanel state={connection.state} words={words} rungs={rungs} syncedAt={syncedAt} tryNow={tryNow} />
        </Suspense>
      </Popover>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}

function Mark({ state }: { state: Connection['state'] }) {
  if (state === 'live')
    return (
      <span className="m-0.75 block size-2 rounded-full bg-current shadow-[0_0_0_3px_color-mix(in_srgb,currentColor_22%,transparent)]" />
    )
  if (state === 'connecting')
    return <span className="m-0.5 block size-2.5 rounded-full border-2 border-dotted border-current" />
  return <Icon name={CONNECTION_ICONS[state]} size={14} />
}

/** What to read out: changes only. That the first connection succeeded is what everybody expects. */
function useChangeOf(state: Connection['state'], name: string): string {
  const [last, setLast] = useState<{ state: Connection['state']; said: string }>({ state, said: '' })
  if (last.state === state) return last.said
  const expected = last.said === '' && last.state === 'connecting' && state === 'live'
  const said = expected ? '' : texts.announce(name)
  setLast({ state, said })
  return said
}
