// What Redis holds for us, by family of keys.
import { opsTexts } from '../../texts/ops.ts'
import { bytes } from '../numbers.ts'
import { useOps } from '../ops-context.ts'
import { Figure, Meter, Nothing, Panel } from '../panel.tsx'
import { RUNBOOKS } from '../runbook-names.ts'
import { LIMITS } from '../signs.ts'

const t = opsTexts.groups

export function MemoryPanel({ span }: { span: 4 | 8 }) {
  const { memory } = useOps().picture
  if (memory === null)
    return (
      <Panel title={t.memory} span={span}>
        <Nothing>{opsTexts.unknown}</Nothing>
      </Panel>
    )
  const { used, max, families } = memory
  const top = max || used
  const hot = max > 0 && used / max > LIMITS.memoryShare
  return (
    <Panel
      title={t.memory}
      span={span}
      end={
        <span className="text-ink-3">
          <Figure runbook={hot ? RUNBOOKS.outOfMemory : RUNBOOKS.memory} of={t.memory}>
            {t.memoryUsed(bytes(used), max === 0 ? null : bytes(max))}
          </Figure>
        </span>
      }
    >
      <ul className="pb-2 tabular-nums">
        {Object.entries(families).map(([family, size]) => (
          <li
            key={family}
            className="grid h-7.5 grid-cols-[minmax(0,7rem)_minmax(0,1fr)_4rem] items-center gap-2 border-b border-line-faint px-3 last:border-0"
          >
            <span className="truncate text-ink-2">{t.families[family] ?? family}</span>
            <Meter value={size} max={top} tone={hot ? 'warn' : 'plain'} />
            <span className="text-right">
              <Figure runbook={RUNBOOKS.memory} of={t.families[family] ?? family}>
                {bytes(size)}
              </Figure>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
