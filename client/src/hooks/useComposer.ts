// Whether the composer is open, and what has been written so far: kept outside the screens, so that a draft survives a
// change of page and the phone's Post button can open it from anywhere; and in the tab's storage, so that it survives a
// reload.
import { useSyncExternalStore } from 'react'

type Composer = {
  open: boolean
  text: string
  /** Where the draft goes; null as long as the page decides. */
  topic: string | null
  /** Where the last post went, for pages that are not about one topic. */
  lastTopic: string | null
  /** Grows each time somebody asks for the composer, which brings focus to it also when it is open already. */
  asked: number
}

let composer: Composer = { open: false, text: '', topic: null, lastTopic: null, asked: 0 }
const listeners = new Set<() => void>()

const DRAFT = 'signal-feed:draft'
type SavedDraft = Pick<Composer, 'text' | 'topic'> & { writer: string }
let writer: string | null = null

export function setComposer(part: Partial<Composer>) {
  composer = { ...composer, ...part }
  if ('text' in part || 'topic' in part) saveDraft()
  for (const listener of listeners) listener()
}

function saveDraft() {
  try {
    const { text, topic } = composer
    if (text === '' || writer === null) sessionStorage.removeItem(DRAFT)
    else sessionStorage.setItem(DRAFT, JSON.stringify({ writer, text, topic } satisfies SavedDraft))
  } catch {
    // A browser that forbids storage keeps the draft as long as the page.
  }
}

/** What this person was writing when the page was left; anybody else's is not shown. */
export function restoreDraft(person: string) {
  writer = person
  try {
    const saved = JSON.parse(sessionStorage.getItem(DRAFT) ?? 'null') as SavedDraft | null
    if (saved?.writer === person && composer.text === '') setComposer({ text: saved.text, topic: saved.topic })
  } catch {
    // As above, or it was not ours.
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const openComposer = () => setComposer({ open: true, asked: composer.asked + 1 })
/** What is written stays; a topic chosen for nothing is forgotten. */
export const closeComposer = () => setComposer({ open: false, ...(composer.text === '' ? { topic: null } : {}) })
/** Another person's words, when somebody signs out. */
export const forgetDraft = () => setComposer({ open: false, text: '', topic: null, lastTopic: null })

export const useComposer = (): Composer => useSyncExternalStore(subscribe, () => composer)
export const useComposerOpen = (): boolean => useSyncExternalStore(subscribe, () => composer.open)
