// The consumer group: what each handler has to try again, how fast it works, and whether its target is there.
import { duration, roughDuration } from '../../feed/when.ts'
import { opsTexts } from '../../texts/ops.ts'
import { Chip } from '../../ui/chip.tsx'
import { Spark } from '../charts/spark.tsx'
import { rate, whole } from '../numbers.ts'
import { useOps } from '../ops-context.ts'
import { Figure, Panel, RunbookLink, TABLE, TD, TH } from '../panel.tsx'
import { RUNBOOKS } from '../runbook-names.ts'
import type { Picture } from '../use-picture.ts'

const t = opsTexts.groups
const known = (n: number | null | undefined, print: (n: number) => string) => (typeof n === 'number' ? print(n) : '–')

export function GroupsPanel({ span = 6 }: { span?: 6 | 12 }) {
  const { picture, trends } = useOps()
  const { group, handlers, rates, processes } = picture
  const sum = (of: (one: (typeof handlers)[number]) => number) => handlers.reduce((total, one) => total + of(one), 0)
  return (
    <Panel
      title={t.title}
      span={span}
      hint={t.hint(group?.consumers.length ?? 0, processes.length)}
      end={<RunbookLink name={RUNBOOKS.handled} />}
    >
      <table className={TABLE}>
        <thead>
          <tr>
            <th className={TH}>{t.handler}</th>
            <th className={`${TH} text-right`}>{t.retries}</th>
            <th className={`${TH} text-right`}>{t.rate}</th>
            <th className={`${TH} max-sm:hidden`}>{t.trend}</th>
            <th className={TH}>{t.breaker}</th>
          </tr>
        </thead>
        <tbody>
          {handlers.map((handler) => (
            <tr key={handler.name} className="group">
              <th scope="row" className={`${TD} text-left font-medium text-ink!`}>
                {handler.name}
              </th>
              <td className={`${TD} text-right`}>
                <Figure runbook={RUNBOOKS.growing} of={t.retries}>
                  {known(handler.scheduled, whole)}
                </Figure>
              </td>
              <td className={`${TD} text-right`}>
                <Figure runbook={RUNBOOKS.handled} of={t.rate}>
                  {known(rates?.[handler.name], rate)}
                </Figure>
              </td>
              <td className={`${TD} w-full max-w-0 min-w-20 max-sm:hidden`}>
                <Spark values={trends?.rates[handler.name] ?? []} className="h-4.5 w-full max-w-40" />
              </td>
              <td className={TD}>
                <Breaker handler={handler} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="group font-medium">
            <th scope="row" className={`${TD} border-t border-line text-left font-medium text-ink!`}>
              {t.all}
            </th>
            <td className={`${TD} border-t border-line text-right text-ink!`}>
              {known(group && sum(({ scheduled }) => scheduled ?? 0), whole)}
            </td>
            <td className={`${TD} border-t border-line text-right text-ink!`}>
              {known(rates && sum(({ name }) => rates[name]), rate)}
            </td>
            <td colSpan={2} className={`${TD} border-t border-line font-normal whitespace-normal!`}>
              <GroupFacts group={group} />
            </td>
          </tr>
        </tfoot>
      </table>
    </Panel>
  )
}

function GroupFacts({ group }: { group: Picture['group'] }) {
  if (group === null) return <span className="text-ink-3">{opsTexts.unknown}</span>
  return (
    <span className="text-ink-3">
      <Figure runbook={RUNBOOKS.pending} of={opsTexts.tiles.pending}>
        {t.pending(whole(group.pending))}
      </Figure>
      {' · '}
      <Figure runbook={RUNBOOKS.lag} of={t.title}>
        {t.lag(known(group.lag, whole))}
      </Figure>
      {group.oldestPendingMs !== null && (
        <>
          {' · '}
          <Figure runbook={RUNBOOKS.oldest} of={opsTexts.tiles.pending}>
            {t.oldest(duration(group.oldestPendingMs))}
          </Figure>
        </>
      )}
    </span>
  )
}

function Breaker({ handler }: { handler: Picture['handlers'][number] }) {
  if (!handler.enabled) return <Chip>{t.states.off}</Chip>
  switch (handler.breaker) {
    case 'open':
      return (
        <Chip tone="warn" icon="clock">
          {handler.heldForMs === null ? t.states.open : t.holding(roughDuration(handler.heldForMs))}
        </Chip>
      )
    case 'probing':
      return (
        <Chip tone="warn" icon="refresh">
          {t.states.probing}
        </Chip>
      )
    case 'closed':
      return <Chip tone="ok">{t.states.closed}</Chip>
    case 'off':
      return <Chip>{t.states.off}</Chip>
  }
}
