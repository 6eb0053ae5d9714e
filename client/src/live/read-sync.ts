// Keeps the read flags on screen as new as the counts: marks that were made elsewhere and of which only a newer version
// is known (while polling, or after a time away) are fetched with the lists. Waits a moment first, because the marks
// themselves usually follow.
import type { Timers } from './event-stream.ts'
import {
  changeShown,
  isBehind,
  listsShown,
  ownChange,
  type ReadVersion,
  UNKNOWN_READS,
  versionHeard,
} from './read-version.ts'

const WAIT_MS = 1_000
const AGAIN_MS = 15_000

type Deps = {
  /** Fetches the lists with their flags. */
  renew: () => Promise<void>
  /** Marks of our own are on their way: what they change must not be taken back by an older answer. */
  isMarking: () => boolean
  timers: Timers
}

export function createReadSync({ renew, isMarking, timers }: Deps) {
  let state: ReadVersion = UNKNOWN_READS
  let planned: unknown = null

  function set(next: ReadVersion) {
    state = next
    if (isBehind(state)) plan(WAIT_MS)
  }

  function plan(ms: number) {
    planned ??= timers.set(() => {
      planned = null
      void check()
    }, ms)
  }

  async function check() {
    if (!isBehind(state)) return
    if (isMarking()) return plan(WAIT_MS)
    const { newest } = state
    try {
      await renew()
      set(listsShown(state, newest))
    } catch {
      plan(AGAIN_MS)
    }
  }

  return {
    marksShown: (version: number) => set(changeShown(state, version)),
    ownMarksShown: (version: number) => set(ownChange(state, version)),
    countsHeard: (version: number) => set(versionHeard(state, version)),
    stop() {
      timers.clear(planned)
      planned = null
    },
  }
}
