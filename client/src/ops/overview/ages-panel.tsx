// How old what is pending is: young entries are work, old ones are trouble.
import { opsTexts } from '../../texts/ops.ts'
import { whole } from '../numbers.ts'
import { useOps } from '../ops-context.ts'
import { Figure, Nothing, Panel } from '../panel.tsx'
import { RUNBOOKS } from '../runbook-names.ts'

const t = opsTexts.ages
/** From five minutes on somebody should have adopted it; from an hour on the alert speaks. */
const TONES = ['', '', '', 'warn', 'warn', 'bad'] as const
const COLOURS = { '': 'bg-[color-mix(in_srgb,var(--text-3)_55%,var(--bg-surface))]', warn: 'bg-warn', bad: 'bg-bad' }

export function AgesPanel({ span = 3 }: { span?: 3 | 6 }) {
  const { group } = useOps().picture
  return (
    <Panel
      title={t.title}
      span={span}
      hint={group && !group.agesComplete ? t.some : null}
      end={
        group && (
          <span className="text-ink-3">
            <Figure runbook={RUNBOOKS.pending} of={t.title}>
              {whole(group.pending)}
            </Figure>
          </span>
        )
      }
    >
      {group === null ? (
        <Nothing>{opsTexts.unknown}</Nothing>
      ) : (
        <ul className="flex min-h-36 flex-1 gap-1.5 px-3 pb-2">
          {group.ages.map((count, i) => {
            const top = Math.max(1, ...group.ages)
            return (
              <li key={t.classes[i]} className="flex min-w-0 flex-1 flex-col text-center tabular-nums">
                <span className="flex flex-1 flex-col justify-end border-b border-line">
                  <span className={`leading-4 ${count > 0 ? 'text-ink-2' : 'text-ink-3'}`}>
                    <Figure runbook={(TONES[i] ?? '') === '' ? RUNBOOKS.pending : RUNBOOKS.oldest} of={t.read[i] ?? ''}>
                      {whole(count)}
                    </Figure>
                  </span>
                  <span
                    aria-hidden="true"
                    className={`mt-1 block rounded-t-[3px] transition-[height] duration-(--t-slow) ${COLOURS[TONES[i] ?? '']}`}
                    style={{ height: count === 0 ? 0 : `max(2px, ${(count / top) * 6}rem)` }}
                  />
                </span>
                <span aria-hidden="true" className="pt-1 text-11 whitespace-nowrap text-ink-3">
                  {t.classes[i]}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}
