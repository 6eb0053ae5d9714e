// Live connections by process.
import { opsTexts } from '../../texts/ops.ts'
import { whole } from '../numbers.ts'
import { useOps } from '../ops-context.ts'
import { Figure, Meter, Panel } from '../panel.tsx'
import { RUNBOOKS } from '../runbook-names.ts'

const t = opsTexts.connections

export const processName = ({ host, pid }: { host: string; pid: number }): string => `${host} ${pid}`

export function ConnectionsPanel({ span = 3 }: { span?: 3 | 4 | 12 }) {
  const { processes, down } = useOps().picture
  const most = Math.max(1, ...processes.map(({ connections }) => connections))
  const all = processes.reduce((sum, { connections }) => sum + connections, 0)
  return (
    <Panel title={t.title} span={span} end={<span className="text-ink-3">{t.total(all)}</span>}>
      <ul className="pb-2 tabular-nums">
        {processes.map((one) => (
          <li
            key={one.name}
            className="grid h-6.5 grid-cols-[minmax(0,7rem)_minmax(0,1fr)_auto] items-center gap-2 border-b border-line-faint px-3 last:border-0"
          >
            <span className="truncate text-ink-2" title={one.name}>
              {processName(one)}
            </span>
            <Meter value={one.connections} max={most} tone="ok" />
            <Figure runbook={RUNBOOKS.connections} of={processName(one)}>
              {whole(one.connections)}
            </Figure>
          </li>
        ))}
      </ul>
      {down.includes('redis') && <p className="px-3 pb-3 text-ink-3">{t.self}</p>}
    </Panel>
  )
}
