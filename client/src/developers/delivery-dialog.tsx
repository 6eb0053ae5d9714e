// One delivery: what was sent, what came back at each try, and the way to send it once more.
import { useMutation, useQuery } from '@tanstack/react-query'
import { clockTimeExact, exactTime } from '../feed/when.ts'
import { trpc } from '../lib/trpc.ts'
import { texts } from '../texts/shell.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { sentence } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { useToast } from '../ui/toast.tsx'
import { AnswerChip } from './answer-chip.tsx'
import { renewWebhooks } from './endpoint-actions.tsx'

const t = webhookTexts.details
const EVERY_MS = 2_000

export function DeliveryDialog({ id, about, onClose }: { id: number; about: string; onClose: () => void }) {
  const toast = useToast()
  const details = useQuery({
    ...trpc.webhooks.delivery.queryOptions({ id }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === 'delivered' ? false : EVERY_MS),
  })
  const again = useMutation(
    trpc.webhooks.redeliver.mutationOptions({
      onSuccess: async () => {
        toast.show({ text: webhookTexts.log.againQueued })
        await renewWebhooks()
      },
      onError: (error) => toast.show({ text: sentence(error), tone: 'bad' }),
    }),
  )
  const { data } = details
  const finished = data?.state === 'delivered' || data?.state === 'failed'
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={webhookTexts.log.open(about)}
      className="md:w-[min(640px,calc(100vw-32px))]!"
    >
      <div className="grid gap-4 px-5 pt-2 pb-5">
        {details.isPending && <SkeletonLines count={4} />}
        {details.error && !data && <ErrorNote title={texts.failed.page}>{sentence(details.error)}</ErrorNote>}
        {data && (
          <>
            <section className="grid gap-1">
              <h3 className="text-13 font-semibold">{t.request}</h3>
              <p className="font-mono text-12 wrap-anywhere text-ink-2">POST {data.url}</p>
              <p className="font-mono text-12 wrap-anywhere text-ink-3">webhook-id: {data.messageId}</p>
              {data.body === '' ? (
                <p className="text-ink-2">{t.deleted}</p>
              ) : (
                <pre className="max-h-60 overflow-auto rounded-8 border border-line bg-sunken p-3 font-mono text-12 wrap-anywhere whitespace-pre-wrap">
                  {pretty(data.body)}
                </pre>
              )}
            </section>
            <section className="grid gap-1">
              <h3 className="text-13 font-semibold">{t.answers}</h3>
              {data.log.length === 0 && <p className="text-ink-2">{t.none}</p>}
              <ol className="grid gap-2">
                {data.log.map((one) => (
                  <li key={one.no} className="grid gap-1">
                    <p className="flex flex-wrap items-center gap-2 text-12 text-ink-2">
                      <span>{t.try(one.no)}</span>
                      <AnswerChip last={one} />
                      <time dateTime={one.at} title={exactTime(Date.parse(one.at))} className="font-mono text-ink-3">
                        {clockTimeExact(Date.parse(one.at))}
                      </time>
                      <span className="text-ink-3 tabular-nums">{t.ms(one.tookMs)}</span>
                    </p>
                    <p className="font-mono text-12 wrap-anywhere whitespace-pre-wrap text-ink-2">
                      {one.error ?? (one.answer || t.empty)}
                    </p>
                  </li>
                ))}
              </ol>
            </section>
          </>
        )}
        <div className="flex justify-end gap-2">
          <Button
            icon="refresh"
            busy={again.isPending}
            disabled={!finished || data?.body === ''}
            onClick={() => again.mutate({ id })}
          >
            {webhookTexts.log.again}
          </Button>
          <Button look="primary" onClick={onClose}>
            {webhookTexts.ready.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
