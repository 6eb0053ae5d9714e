// What the leading tab tells the others: everything it hears, in order and numbered, and how its connection is.
import type { FeedPage } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { Ladder } from './ladder.ts'
import type { LiveEvent } from './live-event.ts'
import type { LeaderNews, TabMessage } from './tab-messages.ts'

/** The others hear at most so often that nothing has changed but the last sign of life. */
const STATE_EVERY_MS = 1_000

type Deps = {
  post: (message: TabMessage) => void
  now: () => number
  state: () => { ladder: Ladder; syncedAt: number | null; counts: UnreadCounts | null }
}

export function createTeller({ post, now, state }: Deps) {
  let term = 0
  let n = 0
  /** Up to here everything has been told; what comes next follows it. */
  let position: string | null = null
  let last = { gist: '', at: 0 }

  function tell(news: LeaderNews) {
    n += 1
    post({ from: 'leader', term, n, news })
  }

  /** What the edge tells has no place in the log: whoever joins meanwhile has to ask once what came before. */
  const sure = (ladder: Ladder): string | null => (ladder.rungs.edge.link.phase === 'up' ? null : position)

  return {
    begin(newTerm: number, from: string | null) {
      term = newTerm
      n = 0
      position = from
      last = { gist: '', at: 0 }
    },
    end: () => post({ from: 'leader', type: 'bye' }),
    /** Whenever the ladder has moved. */
    moved() {
      const { ladder, syncedAt } = state()
      const gist = JSON.stringify(ladder, (key, value) => (key === 'heardAt' ? value !== null : value))
      if (gist === last.gist && now() - last.at < STATE_EVERY_MS) return
      last = { gist, at: now() }
      tell({ type: 'state', ladder, syncedAt, position: sure(ladder), counts: null })
    },
    answer() {
      const { ladder, ...rest } = state()
      tell({ type: 'state', ladder, ...rest, position: sure(ladder) })
    },
    opened(after: string | null) {
      position = after
      tell({ type: 'opened', after })
    },
    event(event: LiveEvent) {
      position = event.id ?? position
      tell({ type: 'event', event })
    },
    page(after: string, page: FeedPage) {
      position = page.liveCursor ?? position
      tell({ type: 'page', after, page })
    },
  }
}
