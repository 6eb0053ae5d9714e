// Read marks on their way to the server: gathered for a moment, sent together, kept and sent later when there is no
// network. What the screens show has changed already; a refusal is taken back by asking for the counts again.
import type { UnreadCounts } from '#shared/live-events.ts'

/** The server takes so many at once. */
const BATCH_MAX = 500
const GATHER_MS = 800

export type MarkResult = { ok: true; counts: UnreadCounts } | { ok: false; later: boolean }

type Deps = {
  send: (ids: number[], read: boolean) => Promise<MarkResult>
  onCounts: (counts: UnreadCounts) => void
  onRefused: () => void
  save: (marks: [number, boolean][]) => void
  later: (run: () => void, ms: number) => void
}

export type Marker = ReturnType<typeof createMarker>

export function createMarker(deps: Deps) {
  const listeners = new Set<() => void>()
  /** The last word on each id; an older one would only be undone by it. */
  let kept = new Map<number, boolean>()
  let busy = false
  let planned = false

  function changed() {
    deps.save([...kept])
    for (const listener of listeners) listener()
  }

  function plan() {
    if (planned) return
    planned = true
    deps.later(() => {
      planned = false
      void flush()
    }, GATHER_MS)
  }

  async function flush(): Promise<void> {
    if (busy) return
    busy = true
    try {
      while (kept.size > 0) {
        const [, read] = kept.entries().next().value!
        const ids = [...kept]
          .filter(([, value]) => value === read)
          .map(([id]) => id)
          .slice(0, BATCH_MAX)
        const result = await deps.send(ids, read)
        if (!result.ok && result.later) return
        for (const id of ids) if (kept.get(id) === read) kept.delete(id)
        changed()
        if (result.ok) deps.onCounts(result.counts)
        else deps.onRefused()
      }
    } finally {
      busy = false
    }
  }

  return {
    mark(ids: readonly number[], read: boolean) {
      for (const id of ids) {
        kept.delete(id)
        kept.set(id, read)
      }
      changed()
      plan()
    },
    restore(saved: readonly [number, boolean][]) {
      kept = new Map([...saved, ...kept])
      changed()
      if (kept.size > 0) plan()
    },
    flush,
    waiting: () => kept.size,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
