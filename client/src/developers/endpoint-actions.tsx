import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { EndpointView } from '#shared/webhook.ts'
import { queryClient } from '../lib/query-client.ts'
import { trpc } from '../lib/trpc.ts'
import { texts } from '../texts/shell.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { sentence } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useToast } from '../ui/toast.tsx'
import { ShowSecret } from './show-secret.tsx'

const t = webhookTexts

/** What was changed is asked for again: the list, and the log below it. */
export const renewWebhooks = () => queryClient.invalidateQueries(trpc.webhooks.pathFilter())

export function EndpointActions({ endpoint: { id, url, paused } }: { endpoint: EndpointView }) {
  const toast = useToast()
  const [asking, setAsking] = useState<'remove' | 'reseal' | null>(null)
  const onError = (error: unknown) => toast.show({ text: sentence(error), tone: 'bad' })
  const test = useMutation(trpc.webhooks.test.mutationOptions({ onSuccess: renewWebhooks, onError }))
  const pause = useMutation(trpc.webhooks.pause.mutationOptions({ onSuccess: renewWebhooks, onError }))
  const reseal = useMutation(trpc.webhooks.reseal.mutationOptions({ gcTime: 0, onError }))
  const remove = useMutation(
    trpc.webhooks.remove.mutationOptions({
      onSuccess: async () => {
        toast.show({ text: t.removed })
        await renewWebhooks()
      },
    }),
  )
  return (
    <div className="flex flex-wrap gap-1.5">
      <Button
        size="sm"
        icon="send"
        busy={test.isPending}
        disabled={paused !== null}
        onClick={() => test.mutate({ id })}
      >
        {t.test}
      </Button>
      <Button
        size="sm"
        icon={paused ? 'play' : 'pause'}
        busy={pause.isPending}
        onClick={() => pause.mutate({ id, paused: paused === null })}
      >
        {paused ? t.resume : t.pause}
      </Button>
      <Button size="sm" icon="shield" onClick={() => setAsking('reseal')}>
        {t.reseal}
      </Button>
      <Button size="sm" look="danger" icon="trash" onClick={() => setAsking('remove')}>
        {t.remove}
      </Button>
      {reseal.data && <ShowSecret secret={reseal.data.secret} onClose={reseal.reset} />}
      {asking === 'reseal' && (
        <Dialog open onOpenChange={() => setAsking(null)} title={t.resealAsk} description={t.resealHint}>
          <div className="flex justify-end gap-2 px-5 pt-3 pb-5">
            <Button onClick={() => setAsking(null)}>{texts.cancel}</Button>
            <Button
              look="primary"
              onClick={() => {
                setAsking(null)
                reseal.mutate({ id })
              }}
            >
              {t.reseal}
            </Button>
          </div>
        </Dialog>
      )}
      {asking === 'remove' && (
        <Dialog open onOpenChange={() => setAsking(null)} title={t.removeAsk(url)} description={t.removeHint}>
          <div className="grid gap-4 px-5 pt-3 pb-5">
            {remove.error && <ErrorNote title={texts.failed.notSaved}>{sentence(remove.error)}</ErrorNote>}
            <div className="flex justify-end gap-2">
              <Button onClick={() => setAsking(null)}>{texts.cancel}</Button>
              <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate({ id })}>
                {t.remove}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  )
}
