// What waits for another try, the soonest first.
import { opsTexts } from '../texts/ops.ts'
import { Chip } from '../ui/chip.tsx'
import { CLASS_TONES } from './dead/dead-table.tsx'
import { whole } from './numbers.ts'
import { useOps } from './ops-context.ts'
import { ComingBars, Waiting, whenText } from './overview/schedule-panel.tsx'
import { Grid, Nothing, Panel, TABLE, TD, TH } from './panel.tsx'

const t = opsTexts.schedule

export function RetriesPage() {
  const { schedule } = useOps().picture
  return (
    <Grid>
      <Panel title={t.title} end={<Waiting schedule={schedule} />}>
        {schedule === null && <Nothing>{opsTexts.unknown}</Nothing>}
        {schedule && <ComingBars coming={schedule.coming} />}
        {schedule?.next.length === 0 && <Nothing>{t.none}</Nothing>}
        {schedule && schedule.next.length > 0 && (
          <>
            <table className={`${TABLE} mt-1 table-fixed`}>
              <thead>
                <tr>
                  <th className={`${TH} w-20`}>{t.next}</th>
                  <th className={`${TH} w-26`}>{opsTexts.groups.handler}</th>
                  <th className={TH}>{t.what}</th>
                  <th className={`${TH} w-28 max-sm:hidden`}>{t.class}</th>
                  <th className={`${TH} w-24 text-right`}>{t.try}</th>
                </tr>
              </thead>
              <tbody>
                {schedule.next.map((work) => (
                  <tr key={`${work.handler}:${work.topicId}:${work.seq}`} className="group">
                    <td className={`${TD} text-ink-3!`}>{whenText(work.inMs)}</td>
                    <td className={`${TD} truncate font-medium text-ink!`}>{work.handler}</td>
                    <td className={`${TD} truncate`}>
                      {work.topic} {whole(work.seq)}
                    </td>
                    <td className={`${TD} max-sm:hidden`}>
                      {work.type && <Chip tone={CLASS_TONES[work.type]}>{work.type}</Chip>}
                    </td>
                    <td className={`${TD} text-right`}>{work.held ? t.held : t.tryOf(work.attempts + 1, work.of)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p className="px-3 py-2 text-ink-3">
              {t.shown(
                schedule.next.length,
                Object.values(schedule.sizes).reduce((sum, size) => sum + size, 0),
              )}
            </p>
          </>
        )}
      </Panel>
    </Grid>
  )
}
