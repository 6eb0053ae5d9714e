// Endpoints of this person, and the way to a new one. Whoever is here has seen what was paused for them.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queryClient } from '../lib/query-client.ts'
import { trpc } from '../lib/trpc.ts'
import { BELL_KEY } from '../live/person-live.ts'
import { texts } from '../texts/shell.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { sentence } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { AddEndpoint } from './add-endpoint.tsx'
import { EndpointRow } from './endpoint-row.tsx'
import { Nothing, Section } from './section.tsx'

const t = webhookTexts
/** Deliveries happen meanwhile. */
const EVERY_MS = 5_000

export function WebhooksSection() {
  const [adding, setAdding] = useState(false)
  const endpoints = useQuery({ ...trpc.webhooks.list.queryOptions(), staleTime: 0, refetchInterval: EVERY_MS })
  useSeen(endpoints.data?.some(({ paused }) => paused !== null && paused !== 'owner') ?? false)
  return (
    <Section
      title={t.title}
      hint={t.short}
      action={
        <Button size="sm" icon="plus" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      }
    >
      {endpoints.isPending && <SkeletonLines count={2} />}
      {endpoints.error && !endpoints.data && (
        <ErrorNote title={texts.failed.page} onRetry={() => void endpoints.refetch()}>
          {sentence(endpoints.error)}
        </ErrorNote>
      )}
      {endpoints.data?.length === 0 && <Nothing title={t.none}>{t.noneHint}</Nothing>}
      {endpoints.data && endpoints.data.length > 0 && (
        <ul aria-label={t.list} className="rounded-8 border border-line">
          {endpoints.data.map((endpoint) => (
            <EndpointRow key={endpoint.id} endpoint={endpoint} />
          ))}
        </ul>
      )}
      {adding && <AddEndpoint onClose={() => setAdding(false)} />}
    </Section>
  )
}

function useSeen(something: boolean) {
  const { mutate } = useMutation(
    trpc.webhooks.noticed.mutationOptions({
      onSuccess: ({ seen }) => (seen > 0 ? queryClient.invalidateQueries({ queryKey: BELL_KEY }) : undefined),
    }),
  )
  useEffect(() => {
    if (something) mutate()
  }, [something, mutate])
}
