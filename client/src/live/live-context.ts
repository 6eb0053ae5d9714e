import { createContext, useContext } from 'react'
import type { PersonLive } from './person-live.ts'

export const LiveContext = createContext<PersonLive | null>(null)

export function usePersonLive(): PersonLive {
  const live = useContext(LiveContext)
  if (live === null) throw new Error('usePersonLive is for signed-in screens')
  return live
}
