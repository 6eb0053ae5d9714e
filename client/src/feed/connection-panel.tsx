// Behind the connection pill: the ways to connect, the facts as they are, and the one thing to do about it.
import type { Connection, RungView } from '../live/connection.ts'
import { feedTexts } from '../texts/feed.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { CONNECTION_ICONS, type ConnectionWords } from './connection-words.ts'
import { clockTimeExact } from './when.ts'

const texts = feedTexts.connection

type Look = { glyph: string; word: string; bar: string }

const QUIET: Look = { glyph: 'bg-offline-tint text-offline', word: 'text-offline', bar: 'bg-offline' }
const LOOKS: Record<Connection['state'], Look> = {
  live: { glyph: 'bg-live-tint text-live', word: 'text-live', bar: 'bg-live' },
  delayed: { glyph: 'bg-delayed-tint text-delayed', word: 'text-delayed', bar: 'bg-delayed' },
  polling: { glyph: 'bg-polling-tint text-polling', word: 'text-polling', bar: 'bg-polling' },
  offline: QUIET,
  connecting: QUIET,
  'signed-out': { glyph: 'bg-bad-tint text-bad', word: 'text-bad', bar: 'bg-bad' },
}

type Props = {
  state: Connection['state']
  words: ConnectionWords
  rungs: RungView[]
  syncedAt: number | null
  tryNow: () => void
}

export function ConnectionPanel({ state, words, rungs, syncedAt, tryNow }: Props) {
  const look = LOOKS[state]
  const current = state === 'live' || state === 'delayed' || state === 'polling'
  return (
    <section>
      <header className="flex items-start gap-3 px-4 pt-3.5">
        <span className={`grid size-8 flex-none place-items-center rounded-8 ${look.glyph}`}>
          <Icon name={CONNECTION_ICONS[state]} size={18} />
        </span>
        <div className="min-w-0">
          <h2 className="text-14 font-semibold">{words.title}</h2>
          <p className="mt-px text-pretty text-ink-2">{words.sentence}</p>
        </div>
      </header>
      <Rungs rungs={rungs} look={look} />
      {words.facts.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.25 px-4 pt-3">
          {words.facts.map(({ label, value }) => (
            <div key={label} className="contents">
              <dt className="text-ink-3">{label}</dt>
              <dd className="text-right tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <footer className="mt-3.5 flex min-h-11 items-center gap-2 border-t border-line bg-sunken py-2 pr-3 pl-4 text-12 text-ink-3">
        <span className="flex-1 tabular-nums">
          {current && syncedAt !== null ? texts.facts.asOf(clockTimeExact(syncedAt)) : texts.facts.saved}
        </span>
        {state === 'polling' && (
          <Button size="sm" icon="refresh" onClick={tryNow}>
            {texts.tryNow}
          </Button>
        )}
      </footer>
    </section>
  )
}

const DASHES = 'bg-[repeating-linear-gradient(90deg,var(--line-strong)_0_4px,transparent_4px_8px)]'

function Rungs({ rungs, look }: { rungs: RungView[]; look: Look }) {
  return (
    <ul aria-label={texts.ladder} className="mx-4 mt-3 grid auto-cols-fr grid-flow-col gap-1 text-12">
      {rungs.map(({ name, state }) => (
        <li key={name} className={state === 'in-use' ? `font-medium ${look.word}` : 'text-ink-3'}>
          <span
            className={`block h-0.75 rounded-full ${state === 'in-use' ? look.bar : state === 'failed' ? DASHES : 'bg-line'}`}
          />
          <span className="flex items-center gap-1 pt-1">
            {texts.rungs[name]}
            {state === 'failed' && <Icon name="x" size={12} />}
            <span className="sr-only">, {texts.rungStates[state]}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}
