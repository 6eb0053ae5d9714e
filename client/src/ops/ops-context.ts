import { createContext, useContext } from 'react'
import type { Picture, Trends } from './use-picture.ts'

/** What every part of the console shows from. `trends` arrive a moment later. */
export type Ops = { picture: Picture; trends: Trends | undefined }

export const OpsContext = createContext<Ops | null>(null)

export function useOps(): Ops {
  const ops = useContext(OpsContext)
  if (ops === null) throw new Error('useOps is for parts of the console')
  return ops
}
