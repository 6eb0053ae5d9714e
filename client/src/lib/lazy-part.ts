// Parts of the page that are not needed for its first sight: loaded when somebody reaches for one, and otherwise once the
// browser has nothing better to do, so that they are there when the network is not.
import { lazy, type ReactNode } from 'react'

const RELOADED_AT = 'signal-feed:reloaded-at'
const RELOAD_REST_MS = 60_000
const RETRY_MS = 3_000

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
    } catch {
      if (!navigator.onLine) await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
      else if ((await isServed()) && reloadOnce()) await new Promise<never>(() => {})
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** Whether the product answers at all: otherwise the network is to blame, and the page is better than none. */
const isServed = () =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

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
