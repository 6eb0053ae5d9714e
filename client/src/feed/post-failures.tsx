// Says at once, wherever one is, that a post was refused, or that something else was taken back. The post itself waits
// above its feed with the reason.
import { useEffect } from 'react'
import { usePersonLive } from '../live/live-context.ts'
import { feedTexts } from '../texts/feed.ts'
import { useToast } from '../ui/toast.tsx'

const texts = feedTexts.pending

export function PostFailures() {
  const { onPostFailed, onNotSaved } = usePersonLive()
  const toast = useToast()
  useEffect(
    () =>
      onPostFailed(({ reason }) => {
        // An ended session has its own dialog, which is louder than any note.
        if (reason && !reason.signIn) toast.show({ text: texts.announce(reason.text), tone: 'bad' })
      }),
    [onPostFailed, toast],
  )
  useEffect(
    () => onNotSaved((reason) => toast.show({ text: feedTexts.talk.notSaved(reason), tone: 'bad' })),
    [onNotSaved, toast],
  )
  return null
}
