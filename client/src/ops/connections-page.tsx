// Every process that runs: who is connected to it, and what it has done since it started.
import { duration } from '../feed/when.ts'
import { opsTexts } from '../texts/ops.ts'
import { whole } from './numbers.ts'
import { useOps } from './ops-context.ts'
import { processName } from './overview/connections-panel.tsx'
import { Figure, Grid, Panel, TABLE, TD, TH } from './panel.tsx'
import { RUNBOOKS } from './runbook-names.ts'

const t = opsTexts.connections

export function ConnectionsPage() {
  const { picture } = useOps()
  const { processes, at } = picture
  const all = processes.reduce((sum, { connections }) => sum + connections, 0)
  return (
    <Grid>
      <Panel title={t.title} end={<span className="text-ink-3">{t.total(all)}</span>}>
        <table className={`${TABLE} table-fixed`}>
          <thead>
            <tr>
              <th className={TH}>{t.process}</th>
              <th className={`${TH} w-20 text-right`}>{t.open}</th>
              <th className={`${TH} w-24 text-right max-sm:hidden`}>{t.handled}</th>
              <th className={`${TH} w-24 text-right max-sm:hidden`}>{t.failed}</th>
              <th className={`${TH} w-28 text-right`}>{t.said}</th>
            </tr>
          </thead>
          <tbody>
            {processes.map((one) => (
              <tr key={one.name} className="group">
                <th scope="row" className={`${TD} truncate text-left font-medium text-ink!`} title={one.name}>
                  {processName(one)}
                </th>
                <td className={`${TD} text-right`}>
                  <Figure runbook={RUNBOOKS.connections} of={t.open}>
                    {whole(one.connections)}
                  </Figure>
                </td>
                <td className={`${TD} text-right max-sm:hidden`}>
                  <Figure runbook={RUNBOOKS.handled} of={t.handled}>
                    {whole(Object.values(one.delivered).reduce((sum, n) => sum + n, 0))}
                  </Figure>
                </td>
                <td className={`${TD} text-right max-sm:hidden`}>
                  <Figure runbook={RUNBOOKS.dead} of={t.failed}>
                    {whole(one.failed)}
                  </Figure>
                </td>
                <td className={`${TD} text-right`}>{opsTexts.groups.ago(duration(Math.max(0, at - one.at)))}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {picture.down.includes('redis') && <p className="px-3 py-2 text-ink-3">{t.self}</p>}
      </Panel>
    </Grid>
  )
}
