// The six numbers that say whether it runs, each with its course, its limit and the way to its runbook.
import type { ReactNode } from 'react'
import { opsTexts } from '../../texts/ops.ts'
import { Icon } from '../../ui/icon.tsx'
import { Spark, type Tone } from '../charts/spark.tsx'
import { age, growth, growthPerMinute, rate, whole } from '../numbers.ts'
import { useOps } from '../ops-context.ts'
import { Figure, PANEL } from '../panel.tsx'
import { RUNBOOKS, type RunbookName } from '../runbook-names.ts'
import { signsOf, toneOf } from '../signs.ts'

const t = opsTexts.tiles

export function Tiles() {
  const { picture, trends } = useOps()
  const { group, outbox, beat, rates, processes, deadLetters } = picture
  const signs = signsOf(picture, trends)
  const gauges = trends?.gauges
  const handled = trends && sumOf(Object.values(trends.rates))
  const connections = processes.reduce((sum, one) => sum + one.connections, 0)
  const perMinute = (gauges && growthPerMinute(gauges.pending, trends.stepMs)) ?? null
  const on = picture.handlers.filter(({ enabled }) => enabled).length
  return (
    <>
      <Tile
        {...{ name: t.relay, runbook: RUNBOOKS.relay, tone: toneOf(signs, RUNBOOKS.relay), values: gauges?.relayMs }}
        value={outbox && age(outbox.oldestMs ?? 0)}
        note={outbox && t.relayNote(outbox.waiting)}
      />
      <Tile
        {...{ name: t.handled, runbook: RUNBOOKS.handled, tone: 'ok', values: handled }}
        value={rates && [rate(Object.values(rates).reduce((sum, one) => sum + one, 0)), t.perSecond]}
        note={t.handlers(on)}
      />
      <Tile
        {...{ name: t.pending, runbook: RUNBOOKS.pending, values: gauges?.pending }}
        tone={toneOf(signs, RUNBOOKS.oldest, RUNBOOKS.pending, RUNBOOKS.growing)}
        value={group && [whole(group.pending), '']}
        note={perMinute === null ? null : t.perMinute(Math.round(perMinute))}
      />
      <Tile
        {...{ name: t.dead, runbook: RUNBOOKS.dead, values: gauges?.dead }}
        tone={toneOf(signs, RUNBOOKS.dead) === 'warn' ? 'bad' : deadLetters ? 'warn' : 'ok'}
        value={deadLetters === null ? null : [whole(deadLetters), '']}
        note={gauges && t.deadNote(growth(gauges.dead))}
      />
      <Tile
        {...{ name: t.connections, runbook: RUNBOOKS.connections, tone: 'plain', values: gauges?.connections }}
        value={[whole(connections), '']}
        note={t.processes(processes.length)}
      />
      <Tile
        {...{ name: t.beat, runbook: RUNBOOKS.beat, tone: toneOf(signs, RUNBOOKS.beat), values: gauges?.beatMs }}
        value={beat.ageMs === null ? null : joinAgo(age(beat.ageMs))}
        note={t.limit(age(beat.lateMs).join(' '))}
      />
    </>
  )
}

const joinAgo = ([value, unit]: [string, string]): [string, string] => [value, `${unit} ${t.ago}`]

const sumOf = (series: (number | null)[][]): (number | null)[] =>
  (series[0] ?? []).map((_, i) => {
    const known = series.map((values) => values[i] ?? null).filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })

type TileProps = {
  name: string
  runbook: RunbookName
  tone: Tone
  /** Null: not known now. */
  value: [value: string, unit: string] | null
  note: ReactNode
  values: readonly (number | null)[] | undefined
}

function Tile({ name, runbook, tone, value, note, values }: TileProps) {
  return (
    <article
      aria-label={name}
      className={`col-span-6 flex h-23.5 flex-col overflow-hidden px-3 pt-2.5 md:col-span-4 lg:col-span-2 ${PANEL}`}
    >
      <h2 className="flex items-center gap-1.5 truncate font-normal text-ink-3">
        <Mark tone={value === null ? 'plain' : tone} />
        {name}
      </h2>
      <p className="flex items-baseline gap-1.5 tabular-nums">
        {value === null ? (
          <span className="text-13 leading-7 text-ink-3">{opsTexts.unknown}</span>
        ) : (
          <span className="flex min-w-0 items-baseline gap-1.5 text-20 font-semibold tracking-tight">
            <Figure runbook={runbook} of={name}>
              {value[0]}
              {value[1] && <small className="ml-1.5 text-12 font-normal tracking-normal text-ink-3">{value[1]}</small>}
            </Figure>
          </span>
        )}
        {note && <small className="ml-auto truncate text-12 text-ink-3">{note}</small>}
      </p>
      <Spark values={values ?? []} tone={tone} filled className="-mx-3 mt-auto h-7.5 w-[calc(100%+1.5rem)]" />
    </article>
  )
}

/** A dot or a triangle: never the colour alone. */
function Mark({ tone }: { tone: Tone }) {
  if (tone === 'warn' || tone === 'bad')
    return <Icon name="warning" size={12} className={tone === 'bad' ? 'text-bad' : 'text-warn'} />
  return (
    <span aria-hidden="true" className={`size-1.75 flex-none rounded-full ${tone === 'ok' ? 'bg-live' : 'bg-ink-3'}`} />
  )
}
