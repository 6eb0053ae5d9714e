// Who replayed or discarded what, when and why.
import { useQuery } from '@tanstack/react-query'
import { exactTime, shortTime } from '../../feed/when.ts'
import { type Outputs, trpc } from '../../lib/trpc.ts'
import { opsTexts } from '../../texts/ops.ts'
import { sentence } from '../../topics/use-topics.ts'
import { whole } from '../numbers.ts'
import { Nothing, Panel } from '../panel.tsx'

const t = opsTexts.history
type Action = Outputs['ops']['dlq']['history'][number]

export function HistoryPanel({ limit = 30 }: { limit?: number }) {
  const history = useQuery({ ...trpc.ops.dlq.history.queryOptions({ limit }), staleTime: 0, refetchInterval: 10_000 })
  return (
    <Panel title={t.title} span={4}>
      {history.error && !history.data && <Nothing>{sentence(history.error)}</Nothing>}
      {history.data?.length === 0 && <Nothing>{t.none}</Nothing>}
      <ul className="max-h-80 min-h-0 flex-1 overflow-y-auto">
        {history.data?.map((action) => (
          <Line key={`${action.at} ${action.deadId}`} action={action} />
        ))}
      </ul>
    </Panel>
  )
}

function Line({ action }: { action: Action }) {
  const at = Date.parse(action.at)
  return (
    <li className="border-b border-line-faint px-3 py-1.5 last:border-0">
      <p className="flex gap-2">
        <span className="min-w-0 flex-1 truncate">
          <b className="font-medium">{t.line(action.actor, action.action)}</b>{' '}
          <span className="text-ink-3">
            {action.handler} {action.topicId}:{whole(action.seq)}
          </span>
        </span>
        <time dateTime={action.at} title={exactTime(at)} className="flex-none text-ink-3 tabular-nums">
          {shortTime(at, Date.now())}
        </time>
      </p>
      <p className="flex gap-2 text-ink-2">
        <span className="min-w-0 flex-1 wrap-anywhere">{action.reason}</span>
        <span className="flex-none text-ink-3">
          {action.outcome ? (t.outcomes[action.outcome] ?? action.outcome) : t.unknown}
        </span>
      </p>
    </li>
  )
}
