// A new endpoint: where to post, for which topic; then its secret, which is shown this once.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../lib/query-client.ts'
import { errorBody, trpc } from '../lib/trpc.ts'
import { texts } from '../texts/shell.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { sentence, useTopics } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { ShowSecret } from './show-secret.tsx'
import { TopicChoice } from './topic-choice.tsx'

const t = webhookTexts.form

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [topic, setTopic] = useState<string | null>(null)
  const open = (useTopics().data ?? []).filter(({ mayPost }) => mayPost)
  const create = useMutation(
    trpc.webhooks.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.webhooks.list.queryFilter()),
      // The secret is in the answer, and nowhere once this is closed.
      gcTime: 0,
    }),
  )
  if (create.data) return <ShowSecret secret={create.data.secret} onClose={onClose} />

  const problem = errorBody(create.error)
  const errorAt = (field: string) => (problem?.field === field ? problem.message : undefined)
  return (
    <Dialog open onOpenChange={onClose} title={t.title}>
      <form
        noValidate
        className="grid gap-4 px-5 pt-2 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (topic !== null) create.mutate({ url, topic })
        }}
      >
        {create.error && !['url', 'topic'].includes(problem?.field ?? '') && (
          <ErrorNote title={texts.failed.notSaved}>{sentence(create.error)}</ErrorNote>
        )}
        <Field label={t.url} hint={t.urlHint} error={errorAt('url')}>
          <Input
            type="url"
            inputMode="url"
            placeholder="https://example.com/hooks"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            autoComplete="off"
          />
        </Field>
        <TopicChoice
          topics={open}
          chosen={topic === null ? [] : [topic]}
          onChange={([next]) => setTopic(next ?? null)}
          legend={t.topic}
          single
          error={errorAt('topic')}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={url.trim() === '' || topic === null}>
            {t.button}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
