// Whether the composer is open, and what has been written so far: kept outside the screens, so that a draft survives a
// change of page and the phone's Post button can open it from anywhere.
import { useSyncExternalStore } from 'react'

type Composer = { open: boolean; text: string; topic: string | null }

let composer: Composer = { open: false, text: '', topic: null }
const listeners = new Set<() => void>()

export function setComposer(part: Partial<Composer>) {
  composer = { ...composer, ...part }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const openComposer = () => setComposer({ open: true })
export const closeComposer = () => setComposer({ open: false })

export const useComposer = (): Composer => useSyncExternalStore(subscribe, () => composer)
