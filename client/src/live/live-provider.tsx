// Around every signed-in screen: puts back what was kept of the last visit, goes live, and forgets all of it when the
// person signs out.
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { forgetDraft, restoreDraft } from '../hooks/useComposer.ts'
import { onSignOut } from '../lib/session.ts'
import { useMe } from '../lib/use-me.ts'
import { LiveContext } from './live-context.ts'
import { createPersonLive, type PersonLive } from './person-live.ts'
import { registerWorker } from './register-worker.ts'
import { forgetAll } from './saved.ts'

/** A storage that does not answer must not keep anybody from the feed. */
const RESTORE_MAX_MS = 400

export function LiveProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const { id, handle, name, edge } = useMe()
  const [shared, setShared] = useState<PersonLive | null>(null)

  useEffect(() => {
    let gone = false
    let stop = () => {}
    const person = createPersonLive(queryClient, { id, handle, name }, edge ?? false)
    restoreDraft(id)
    const patience = new Promise<void>((resolve) => setTimeout(resolve, RESTORE_MAX_MS))
    void Promise.race([person.restore(), patience]).then(() => {
      if (gone) return
      stop = person.run()
      setShared(person)
    })
    const forget = onSignOut(async () => {
      stop()
      forgetDraft()
      await forgetAll()
    })
    return () => {
      gone = true
      stop()
      forget()
    }
  }, [queryClient, id, handle, name, edge])

  useEffect(registerWorker, [])

  return shared && <LiveContext value={shared}>{children}</LiveContext>
}
