// The live client as the rest of the page holds it. Its machinery is loaded beside the first page of the feed, which is
// shown without it; what happens before it is there is small: the page may be stopped, or the network may be away.
import type { FeedPage } from '#shared/feed.ts'
import { NEW_LADDER } from './ladder-state.ts'
import type { createLive, Live, LiveDeps, LiveState } from './live.ts'

export type LiveHandle = ReturnType<typeof createLiveHandle>

type Machinery = { createLive: typeof createLive }

export function createLiveHandle(load: () => Promise<Machinery>, deps: LiveDeps) {
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  let live: Live | null = null
  let stopped = false
  let early: LiveState = { ladder: NEW_LADDER, holes: 0, syncedAt: null }

  function showEarly(online: boolean) {
    const rest = online ? NEW_LADDER.rest : ({ why: 'offline', since: deps.now() } as const)
    early = { ...early, ladder: { ...NEW_LADDER, rest } }
    tell()
  }

  return {
    /** `page`: the newest page, when it could be had. `at` is asked when the machinery is there. */
    async start(page: FeedPage | null, at: () => { online: boolean; hidden: boolean }): Promise<void> {
      showEarly(at().online)
      const machinery = await load()
      if (stopped) return
      live = machinery.createLive(deps)
      live.subscribe(tell)
      live.start(page, at())
    },
    stop() {
      stopped = true
      live?.stop()
    },
    online: (online: boolean) => (live ? live.online(online) : showEarly(online)),
    visible: (shown: boolean) => live?.visible(shown),
    frozen: () => live?.frozen(),
    thawed: () => live?.thawed(),
    tryNow: () => live?.tryNow(),
    state: (): LiveState => live?.state() ?? early,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
