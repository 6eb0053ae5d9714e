// One dead letter in full: what it was, why it failed, where. Whoever may replay it may read it, also of a private topic.
import { useQuery } from '@tanstack/react-query'
import { exactTime } from '../../feed/when.ts'
import { errorBody, trpc } from '../../lib/trpc.ts'
import { opsTexts } from '../../texts/ops.ts'
import { sentence } from '../../topics/use-topics.ts'
import { SkeletonLines } from '../../ui/skeleton.tsx'
import { Nothing } from '../panel.tsx'
import { ScrollBlock } from '../scroll-block.tsx'

const t = opsTexts.act
const BLOCK = 'max-h-64 bg-sunken'
const TEXT = 'p-2 font-mono text-11 whitespace-pre-wrap wrap-anywhere text-ink-2'

export function LetterView({ id }: { id: string }) {
  const query = useQuery({
    ...trpc.ops.dlq.show.queryOptions({ id }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (query.isPending) return <SkeletonLines count={3} />
  if (query.error)
    return <Nothing>{errorBody(query.error)?.code === 'NOT_FOUND' ? t.goneLetter : sentence(query.error)}</Nothing>
  const letter = query.data
  const facts: [string, string][] = [
    [t.facts.died, exactTime(letter.diedAt)],
    [t.facts.tries, String(letter.attempts)],
    [t.facts.replays, String(letter.replays)],
    [t.facts.place, letter.entryId ?? '–'],
    ...(letter.traceId ? [[t.facts.trace, letter.traceId] as [string, string]] : []),
  ]
  return (
    <div className="grid gap-2">
      <p className="font-mono wrap-anywhere text-bad">{letter.error ?? opsTexts.dead.noError}</p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="wrap-anywhere tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <ScrollBlock label={t.payload} className={BLOCK}>
        <pre className={TEXT}>{pretty(letter.data)}</pre>
      </ScrollBlock>
      {letter.stack && (
        <details>
          <summary className="text-ink-2">{t.stack}</summary>
          <ScrollBlock label={t.stack} className={`mt-1 ${BLOCK}`}>
            <pre className={TEXT}>{letter.stack}</pre>
          </ScrollBlock>
        </details>
      )}
    </div>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    // Not what it should be: shown as it is.
    return json
  }
}
