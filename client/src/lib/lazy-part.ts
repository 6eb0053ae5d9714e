// Parts of the page that are not needed for its first sight: loaded when somebody reaches for one, and otherwise once the
// browser has nothing better to do, so that they are there when the network is not.
import { lazy, type ReactNode } from 'react'

const RELOADED_AT = 'signal-feed:reloaded-at'
const RELOAD_REST_MS = 60_000

const parts = new Set<() => Promise<unknown>>()

export function lazyPart<M, P extends object>(load: () => Promise<M>, pick: (module: M) => (props: P) => ReactNode) {
  parts.add(load)
  return lazy(async () => ({ default: pick(await loadOnline(load)) }))
}

/**
 * Without a network a part that is not here yet waits for it; a page that broke over it would take the rest along. With
 * one, a part that is missing belongs to a release that has been replaced: the page comes anew.
 */
export async function loadOnline<M>(load: () => Promise<M>): Promise<M> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (navigator.onLine) {
        if (!reloadOnce()) throw error
        await new Promise<never>(() => {})
      }
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
    }
  }
}

/** False when that was tried a moment ago and has not helped. */
function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
  if (Date.now() - last < RELOAD_REST_MS) return false
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
  return true
}

/** One after the other, each in an idle moment. */
export function loadPartsWhenIdle() {
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200))
  const [next] = parts
  if (!next) return
  parts.delete(next)
  idle(() => {
    next()
      .catch(() => {
        // Asked for again by whoever needs it, and the failure is theirs to show.
      })
      .finally(loadPartsWhenIdle)
  })
}
