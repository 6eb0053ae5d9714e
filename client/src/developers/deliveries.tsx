// What was sent to an endpoint, newest first, with the answer; each opens to what was said.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeliveryView, EndpointView } from '#shared/webhook.ts'
import { clockTimeExact, exactTime, shortTime } from '../feed/when.ts'
import { trpc, trpcClient } from '../lib/trpc.ts'
import { texts } from '../texts/shell.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { sentence } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { AnswerChip } from './answer-chip.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

const t = webhookTexts.log
const EVERY_MS = 2_000
const DAY_MS = 86_400_000

export function Deliveries({ endpoint }: { endpoint: EndpointView }) {
  const [opened, setOpened] = useState<DeliveryView | null>(null)
  const pages = useInfiniteQuery({
    queryKey: trpc.webhooks.deliveries.infiniteQueryKey({ endpoint: endpoint.id }),
    queryFn: ({ pageParam: cursor }) => trpcClient.webhooks.deliveries.query({ endpoint: endpoint.id, cursor }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: 0,
    refetchInterval: EVERY_MS,
  })
  if (pages.isPending) return <SkeletonLines count={2} />
  if (pages.error && !pages.data)
    return (
      <ErrorNote title={texts.failed.page} onRetry={() => void pages.refetch()}>
        {sentence(pages.error)}
      </ErrorNote>
    )
  const deliveries = pages.data.pages.flatMap((page) => page.deliveries)
  if (deliveries.length === 0) return <p className="text-12 text-ink-3">{t.empty}</p>
  return (
    <div className="grid gap-1.5">
      <div className="max-h-80 overflow-auto rounded-6 border border-line">
        <table className="w-full text-12 tabular-nums">
          <caption className="sr-only">{t.title}</caption>
          <thead className="bg-sunken text-left text-11 text-ink-3">
            <tr className="*:px-2.5 *:py-1.5 *:font-medium">
              <th scope="col">{t.sent}</th>
              <th scope="col">{t.what}</th>
              <th scope="col">{t.answer}</th>
              <th scope="col" className="text-right max-sm:hidden">
                {t.time}
              </th>
              <th scope="col" className="max-sm:hidden">
                {t.next}
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} delivery={delivery} onOpen={() => setOpened(delivery)} />
            ))}
          </tbody>
        </table>
      </div>
      {pages.hasNextPage && (
        <div>
          <Button size="sm" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {t.older}
          </Button>
        </div>
      )}
      {opened && <DeliveryDialog id={opened.id} about={opened.about} onClose={() => setOpened(null)} />}
    </div>
  )
}

const moment = (time: number) => (Date.now() - time < DAY_MS ? clockTimeExact(time) : shortTime(time, Date.now()))

function DeliveryRow({ delivery, onOpen }: { delivery: DeliveryView; onOpen: () => void }) {
  const { about, last, state, attempts, createdAt } = delivery
  const time = Date.parse(last?.at ?? createdAt)
  return (
    <tr className="border-t border-line-faint text-ink-2 *:h-7.5 *:px-2.5 hover:bg-hover">
      <td className="font-mono whitespace-nowrap text-ink-3">
        <time dateTime={new Date(time).toISOString()} title={exactTime(time)}>
          {moment(time)}
        </time>
      </td>
      <td className="max-w-50 truncate">
        <button
          type="button"
          aria-label={t.open(about)}
          onClick={onOpen}
          className="max-w-full truncate rounded-4 text-accent-text hover:underline focus-visible:shadow-ring"
        >
          {about}
        </button>
      </td>
      <td>
        <AnswerChip last={last} />
      </td>
      <td className="text-right whitespace-nowrap max-sm:hidden">{last ? webhookTexts.details.ms(last.tookMs) : ''}</td>
      <td className="max-sm:hidden">{t.states[state](attempts)}</td>
    </tr>
  )
}
