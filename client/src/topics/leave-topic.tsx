import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { TopicView } from '#shared/topic.ts'
import { places } from '../lib/places.ts'
import { trpc } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import { texts } from '../texts/shell.ts'
import { topicTexts } from '../texts/topics.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Group } from '../ui/page.tsx'
import { refreshTopics, sentence } from './use-topics.ts'

const t = topicTexts.manage

export function LeaveTopic({ topic }: { topic: TopicView }) {
  const [asking, setAsking] = useState(false)
  const me = useMe()
  const [, navigate] = useLocation()
  const leave = useMutation(
    trpc.topics.members.remove.mutationOptions({
      onSuccess: async () => {
        // First away from the page, which asks for a topic that may be out of sight now.
        navigate(places.all)
        await refreshTopics()
      },
    }),
  )
  return (
    <Group title={t.leave} hint={t.leaveHint[topic.visibility]}>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          {t.leaveButton}
        </Button>
      </div>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={t.leaveAsk(topic.name)}
        description={t.leaveHint[topic.visibility]}
      >
        <div className="grid gap-4 px-5 pt-3 pb-5">
          {leave.error && <ErrorNote title={texts.failed.notSaved}>{sentence(leave.error)}</ErrorNote>}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setAsking(false)}>{texts.cancel}</Button>
            <Button
              look="danger"
              busy={leave.isPending}
              onClick={() => leave.mutate({ topic: topic.name, handle: me.handle })}
            >
              {t.leaveButton}
            </Button>
          </div>
        </div>
      </Dialog>
    </Group>
  )
}
