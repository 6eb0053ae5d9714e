// The consumer group in full: handlers, consumers, ages, and what it takes up in Redis.
import { duration } from '../feed/when.ts'
import { opsTexts } from '../texts/ops.ts'
import { whole } from './numbers.ts'
import { useOps } from './ops-context.ts'
import { AgesPanel } from './overview/ages-panel.tsx'
import { GroupsPanel } from './overview/groups-panel.tsx'
import { MemoryPanel } from './overview/memory-panel.tsx'
import { Figure, Grid, Nothing, Panel, TABLE, TD, TH } from './panel.tsx'
import { RUNBOOKS } from './runbook-names.ts'

const t = opsTexts.groups
/** See SCHEDULED_CONSUMER of the server: no process, but the owner of what waits for another try. */
const SCHEDULED = 'scheduled'

export function GroupsPage() {
  return (
    <Grid>
      <GroupsPanel />
      <AgesPanel span={6} />
      <Consumers />
      <MemoryPanel span={4} />
    </Grid>
  )
}

function Consumers() {
  const { group } = useOps().picture
  return (
    <Panel title={t.consumers} span={8}>
      {group === null ? (
        <Nothing>{opsTexts.unknown}</Nothing>
      ) : (
        <table className={`${TABLE} table-fixed`}>
          <thead>
            <tr>
              <th className={TH}>{t.consumer}</th>
              <th className={`${TH} w-24 text-right`}>{t.pendingHead}</th>
              <th className={`${TH} w-32 text-right`}>{t.idle}</th>
            </tr>
          </thead>
          <tbody>
            {group.consumers.map((one) => (
              <tr key={one.name} className="group">
                <th scope="row" className={`${TD} truncate text-left font-medium text-ink!`}>
                  {one.name}{' '}
                  {one.name === SCHEDULED && <span className="font-normal text-ink-3">{t.scheduledConsumer}</span>}
                </th>
                <td className={`${TD} text-right`}>
                  <Figure runbook={RUNBOOKS.pending} of={one.name}>
                    {whole(one.pending)}
                  </Figure>
                </td>
                <td className={`${TD} text-right`}>{t.ago(duration(one.idleMs))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
