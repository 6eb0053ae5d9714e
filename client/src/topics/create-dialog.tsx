import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Posting, Visibility } from '#shared/topic.ts'
import { places } from '../lib/places.ts'
import { errorBody, trpc } from '../lib/trpc.ts'
import { texts } from '../texts/shell.ts'
import { topicTexts } from '../texts/topics.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { TextArea } from '../ui/text-area.tsx'
import { POSTING_OPTIONS, VISIBILITY_OPTIONS } from './topic-options.ts'
import { refreshTopics, sentence } from './use-topics.ts'

const t = topicTexts.create

export function CreateDialog({ onOpenChange }: { onOpenChange: (open: boolean) => void }) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [visibility, setVisibility] = useState<Visibility>('public')
  const [posting, setPosting] = useState<Posting>('everyone')
  const [, navigate] = useLocation()
  const create = useMutation(
    trpc.topics.create.mutationOptions({
      onSuccess: async (topic) => {
        await refreshTopics()
        onOpenChange(false)
        navigate(places.topic(topic.name))
      },
    }),
  )
  const problem = errorBody(create.error)
  const errorAt = (field: string) => (problem?.field === field ? problem.message : undefined)
  const elsewhere = create.error && problem?.field !== 'name' && problem?.field !== 'description'

  return (
    <Dialog open onOpenChange={onOpenChange} title={t.title}>
      <form
        noValidate
        className="grid gap-4 px-5 pt-2 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ name: name.trim(), description, visibility, posting })
        }}
      >
        {elsewhere && <ErrorNote title={texts.failed.notSaved}>{sentence(create.error)}</ErrorNote>}
        <Field label={t.name} hint={t.nameHint} error={errorAt('name')}>
          <Input
            value={name}
            onChange={(event) => setName(event.target.value.toLowerCase())}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
        <Field label={t.description} hint={t.descriptionHint} error={errorAt('description')}>
          <TextArea value={description} onChange={(event) => setDescription(event.target.value)} className="max-h-40" />
        </Field>
        <Choice label={t.visibility} value={visibility} onChange={setVisibility} options={VISIBILITY_OPTIONS} />
        <Choice label={t.posting} value={posting} onChange={setPosting} options={POSTING_OPTIONS} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>{texts.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={name.trim() === ''}>
            {t.button}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
