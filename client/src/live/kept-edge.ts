// The session at the edge as this browser keeps it: its id for all tabs and the next visit, so that a reload does not leave
// one session after the other behind; the place in its stream for this tab only, since only it knows what it was told.
import { askEdgeSession } from './ask-edge-session.ts'
import type { EdgeDeps } from './transport.ts'

const keyOf = (personId: string) => `signal-feed:edge:${personId}`

export function keptEdge(send: typeof fetch, personId: string): EdgeDeps {
  let offset: { of: string; at: string } | null = null
  const readId = () => {
    try {
      return localStorage.getItem(keyOf(personId))
    } catch {
      // A browser that keeps nothing: every visit begins with a new session.
      return null
    }
  }
  return {
    ask: (known) => askEdgeSession(send, known),
    kept() {
      const id = readId()
      return { id, offset: id !== null && offset?.of === id ? offset.at : null }
    },
    keep(kept) {
      offset = kept.id === null || kept.offset === null ? null : { of: kept.id, at: kept.offset }
      if (kept.id === null || kept.id === readId()) return
      try {
        localStorage.setItem(keyOf(personId), kept.id)
      } catch {
        // As above.
      }
    },
  }
}
