// A topic's settings: what it is about, who sees it, who posts, who is in it. Members see it; owners change it.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'wouter'
import type { TopicView } from '#shared/topic.ts'
import { places } from '../lib/places.ts'
import { errorBody, trpc } from '../lib/trpc.ts'
import { useTitle } from '../lib/use-title.ts'
import { NoSuchTopic } from '../shell/not-found.tsx'
import { texts } from '../texts/shell.ts'
import { topicTexts } from '../texts/topics.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Group, Page } from '../ui/page.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { TextArea } from '../ui/text-area.tsx'
import { useToast } from '../ui/toast.tsx'
import { LeaveTopic } from './leave-topic.tsx'
import { Members } from './members.tsx'
import { POSTING_OPTIONS, VISIBILITY_OPTIONS } from './topic-options.ts'
import { refreshTopics, sentence, useTopic } from './use-topics.ts'

const t = topicTexts.manage

export function ManagePage() {
  const params = useParams()
  const name = `${params.kind}/${params.name}`
  const { topic, members, missing, error, retry } = useTopic(name)
  useTitle(t.title(name))
  if (missing) return <NoSuchTopic />
  const owner = topic?.role === 'owner'

  return (
    <Page
      narrow
      title={t.title(name)}
      hint={topic && !owner ? t.notOwner : undefined}
      actions={
        <ButtonLink size="sm" look="ghost" icon="arrow-left" to={places.topic(name)} className="max-md:hidden">
          {texts.topic.back}
        </ButtonLink>
      }
    >
      {error && (
        <ErrorNote title={texts.failed.page} onRetry={retry}>
          {sentence(error)}
        </ErrorNote>
      )}
      {!topic && !error && <SkeletonLines />}
      {topic && (
        <>
          {owner && <General key={topic.id} topic={topic} />}
          {members && <Members topic={topic} members={members} />}
          {topic.role && <LeaveTopic topic={topic} />}
        </>
      )}
    </Page>
  )
}

function General({ topic }: { topic: TopicView }) {
  const [description, setDescription] = useState(topic.description)
  const [visibility, setVisibility] = useState(topic.visibility)
  const [posting, setPosting] = useState(topic.posting)
  const toast = useToast()
  const update = useMutation(
    trpc.topics.update.mutationOptions({
      onSuccess: async () => {
        await refreshTopics()
        toast.show({ text: texts.saved })
      },
    }),
  )
  const problem = errorBody(update.error)
  const same = description.trim() === topic.description && visibility === topic.visibility && posting === topic.posting
  const turning = visibility !== topic.visibility

  return (
    <Group title={t.general}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ topic: topic.name, description, visibility, posting })
        }}
      >
        {update.error && problem?.field !== 'description' && (
          <ErrorNote title={texts.failed.notSaved}>{sentence(update.error)}</ErrorNote>
        )}
        <Field
          label={topicTexts.create.description}
          hint={topicTexts.create.descriptionHint}
          error={problem?.field === 'description' ? problem.message : undefined}
        >
          <TextArea value={description} onChange={(event) => setDescription(event.target.value)} className="max-h-40" />
        </Field>
        <Choice
          label={topicTexts.create.visibility}
          value={visibility}
          onChange={setVisibility}
          options={VISIBILITY_OPTIONS}
        />
        {turning && (
          <p role="status" className="flex gap-2 rounded-8 bg-warn-tint px-3 py-2 text-warn">
            <Icon name="warning" className="mt-0.5" />
            {visibility === 'private' ? t.toPrivate : t.toPublic}
          </p>
        )}
        <Choice label={topicTexts.create.posting} value={posting} onChange={setPosting} options={POSTING_OPTIONS} />
        <div>
          <Button type="submit" look="primary" busy={update.isPending} disabled={same}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Group>
  )
}
