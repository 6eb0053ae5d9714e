// One poll: a conditional question from our position. The tag of the last answer is kept only when that answer was taken
// whole; otherwise "nothing new" would be true for the server and not for us.
import type { FeedPage } from '#shared/feed.ts'
import type { FeedCache } from './feed-cache.ts'
import type { Answer, Ask, Outcome, Receiver } from './receiver.ts'
import type { Polled } from './transport.ts'

type Deps = {
  receiver: Receiver
  cache: Pick<FeedCache, 'recentList'>
  ask: (ask: Ask) => Promise<Answer>
  /** Before it is applied here: the other tabs get the same page. */
  onPage: (after: string, page: FeedPage) => void
}

export function createPoller({ receiver, cache, ask, onPage }: Deps) {
  let tag: string | null = null

  return async function poll(): Promise<Polled> {
    const since = receiver.position()
    if (!receiver.isSeeded() || since === null) return polled(await receiver.renew(), 0)
    const answer = await ask(tag === null ? { since } : { since, tag })
    if (!answer.ok) return answer
    if (answer.page === null) {
      receiver.synced()
      return { ok: true, found: 0 }
    }
    onPage(since, answer.page)
    const before = cache.recentList().length
    const whole = receiver.takePage(answer.page, true)
    tag = whole ? (answer.tag ?? null) : null
    if (whole) receiver.synced()
    const outcome: Outcome = whole ? { ok: true } : await receiver.renew()
    return polled(outcome, Math.max(0, cache.recentList().length - before))
  }
}

const polled = (outcome: Outcome, found: number): Polled => (outcome.ok ? { ok: true, found } : outcome)
