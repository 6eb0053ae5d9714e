// Parts of the page that are not needed for its first sight: loaded when somebody reaches for one, and otherwise once the
// browser has nothing better to do, so that they are there when the network is not.
import { lazy, type ReactNode } from 'react'

const parts = new Set<() => Promise<unknown>>()

export function lazyPart<M, P extends object>(load: () => Promise<M>, pick: (module: M) => (props: P) => ReactNode) {
  parts.add(load)
  return lazy(async () => ({ default: pick(await loadOnline(load)) }))
}

/** Without a network a part that is not here yet waits for it; a page that broke over it would take the rest along. */
export async function loadOnline<M>(load: () => Promise<M>): Promise<M> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (navigator.onLine) throw error
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
    }
  }
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
