// What will be tried again, and when: the next minute as bars, the soonest by name.
import { roughDuration } from '../../feed/when.ts'
import { opsTexts } from '../../texts/ops.ts'
import { whole } from '../numbers.ts'
import { useOps } from '../ops-context.ts'
import { Figure, Nothing, Panel } from '../panel.tsx'
import { RUNBOOKS } from '../runbook-names.ts'
import type { Picture } from '../use-picture.ts'

const t = opsTexts.schedule
const SHOWN = 3
/** Bars of the next ten seconds stand out. */
const SOON_STEPS = 5

export function SchedulePanel() {
  const { schedule } = useOps().picture
  return (
    <Panel title={t.title} span={3} end={<Waiting schedule={schedule} />}>
      {schedule === null ? (
        <Nothing>{opsTexts.unknown}</Nothing>
      ) : (
        <>
          <ComingBars coming={schedule.coming} />
          {schedule.next.length === 0 && <Nothing>{t.none}</Nothing>}
          <ul className="tabular-nums">
            {schedule.next.slice(0, SHOWN).map((work) => (
              <li
                key={`${work.handler}:${work.topicId}:${work.seq}`}
                className="grid h-6.25 grid-cols-[54px_minmax(0,1fr)_auto] items-center gap-2 border-b border-line-faint px-3 last:border-0"
              >
                <span className="text-ink-3">{whenText(work.inMs)}</span>
                <span className="truncate">
                  {work.handler}{' '}
                  <span className="text-ink-3">
                    {work.topic} {whole(work.seq)}
                  </span>
                </span>
                <span className="text-ink-3">{work.held ? t.held : t.tryOf(work.attempts + 1, work.of)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

export const whenText = (ms: number): string => (ms < 500 ? t.due : t.inTime(roughDuration(ms)))

export function Waiting({ schedule }: { schedule: Picture['schedule'] }) {
  if (schedule === null) return null
  const all = Object.values(schedule.sizes).reduce((sum, size) => sum + size, 0)
  return (
    <span className="text-ink-3">
      <Figure runbook={RUNBOOKS.growing} of={t.title}>
        {t.waiting(all)}
      </Figure>
    </span>
  )
}

export function ComingBars({ coming }: { coming: readonly number[] }) {
  const top = Math.max(1, ...coming)
  return (
    <div aria-hidden="true" className="px-3 pt-1">
      <div className="flex h-10 items-end gap-0.5 border-b border-line">
        {coming.map((count, step) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time.
            key={step}
            className={`flex-1 rounded-t-[2px] transition-[height] duration-(--t-slow) ${step < SOON_STEPS ? 'bg-accent-text' : 'bg-[color-mix(in_srgb,var(--text-3)_55%,var(--bg-surface))]'}`}
            style={{ height: count === 0 ? 0 : `max(2px, ${(count / top) * 100}%)` }}
          />
        ))}
      </div>
      <div className="flex justify-between pb-0.5 text-11 leading-3.5 text-ink-3">
        {t.axis.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
    </div>
  )
}
