// A new key: first who uses it and for which topics, then its secret, which is shown this once.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyKind } from '#shared/api-key.ts'
import { queryClient } from '../lib/query-client.ts'
import { errorBody, trpc } from '../lib/trpc.ts'
import { keyTexts } from '../texts/keys.ts'
import { texts } from '../texts/shell.ts'
import { sentence, useTopics } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { NewKey } from './new-key.tsx'
import { TopicChoice } from './topic-choice.tsx'

const t = keyTexts.form

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<KeyKind>('bearer')
  const [name, setName] = useState('')
  const [topics, setTopics] = useState<string[]>([])
  const open = (useTopics().data ?? []).filter(({ mayPost }) => mayPost)
  const create = useMutation(
    trpc.apiKeys.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.apiKeys.list.queryFilter()),
      // The secret is in the answer, and nowhere once this is closed.
      gcTime: 0,
    }),
  )
  if (create.data) return <NewKey made={create.data} onClose={onClose} />

  const problem = errorBody(create.error)
  const at = problem?.field?.split('.')[0]
  const errorAt = (field: string) => (at === field ? problem?.message : undefined)
  const single = kind === 'github'
  return (
    <Dialog open onOpenChange={onClose} title={t.title}>
      <form
        noValidate
        className="grid gap-4 px-5 pt-2 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ kind, name, topics })
        }}
      >
        {create.error && at !== 'name' && at !== 'topics' && (
          <ErrorNote title={texts.failed.notSaved}>{sentence(create.error)}</ErrorNote>
        )}
        <Choice<KeyKind>
          label={t.kind}
          value={kind}
          onChange={(next) => {
            setKind(next)
            if (next === 'github') setTopics(topics.slice(0, 1))
          }}
          options={[
            { value: 'bearer', text: t.bearer, hint: t.bearerHint, icon: 'terminal' },
            { value: 'github', text: t.github, hint: t.githubHint, icon: 'branch' },
          ]}
        />
        <Field label={t.name} hint={t.nameHint} error={errorAt('name')}>
          <Input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} autoComplete="off" />
        </Field>
        <TopicChoice topics={open} chosen={topics} onChange={setTopics} single={single} error={errorAt('topics')} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            busy={create.isPending}
            disabled={name.trim() === '' || topics.length === 0}
          >
            {t.button}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
