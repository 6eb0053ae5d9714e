import { useEffect, useState } from 'react'
import { dayOf } from './when.ts'

const LOOK_EVERY_MS = 30_000

/** A moment of the current day; another one only when the day has changed, so that rows are not drawn for nothing. */
export function useDay(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(
      () => setNow((before) => (dayOf(before) === dayOf(Date.now()) ? before : Date.now())),
      LOOK_EVERY_MS,
    )
    return () => clearInterval(timer)
  }, [])
  return now
}
