import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { type Connection, connectionOf, type RungView, rungViews } from '../live/connection.ts'
import { usePersonLive } from '../live/live-context.ts'

/** A state is shown after it has held for so long; offline at once. */
const HOLD_MS = 1_000

export type ConnectionView = {
  connection: Connection
  rungs: RungView[]
  now: number
  holes: number
  syncedAt: number | null
  tryNow: () => void
}

/** What the connection may honestly be called at this moment, told anew every second. */
export function useConnection(): ConnectionView {
  const { live } = usePersonLive()
  const { ladder, holes, syncedAt } = useSyncExternalStore(live.subscribe, live.state)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])

  const moment = Math.max(now, Date.now())
  const actual = connectionOf(ladder, moment)
  const [shown, setShown] = useState(actual)
  const isUrgent = actual.state === 'offline' || actual.state === 'signed-out'
  // Waits for the name of the state only: a change of numbers inside it must not start the wait over.
  const { state } = actual
  const settle = useEffectEvent(() => setShown(actual))
  useEffect(() => {
    if (state === shown.state) return
    const timer = setTimeout(settle, isUrgent ? 0 : HOLD_MS)
    return () => clearTimeout(timer)
  }, [state, shown.state, isUrgent])

  const connection = isUrgent || state === shown.state ? actual : shown
  return { connection, rungs: rungViews(ladder, moment), now: moment, holes, syncedAt, tryNow: live.tryNow }
}
