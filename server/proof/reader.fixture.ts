// A reader as in the browser, without a screen: the client's own live machinery, feed cache and query cache, over real
// HTTP. What `everything` gives is what somebody would see who scrolls down to the end.
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { createTRPCClient, httpLink } from '@trpc/client'
import { createVisitor } from '#server/http/app.fixture.ts'
import type { AppRouter } from '#server/routers.ts'
import type { TestPerson } from '#server/testing/product.fixture.ts'
import { seededRandom } from '#shared/clock.ts'
import { askEdgeSession } from '../../client/src/live/ask-edge-session.ts'
import { connectionOf } from '../../client/src/live/connection.ts'
import type { KeptSession } from '../../client/src/live/edge-stream.ts'
import { createFeedCache } from '../../client/src/live/feed-cache.ts'
import { feedOptions } from '../../client/src/live/feed-options.ts'
import { enter, NEW_LEDGER, owed } from '../../client/src/live/ledger.ts'
import { createLive } from '../../client/src/live/live.ts'
import { askSince } from '../../client/src/live/poll-request.ts'
import type { Answer, Ask } from '../../client/src/live/receiver.ts'
import { refusalOf } from '../../client/src/live/refusal.ts'
import { type HurriedClock, hurriedClock } from './hurried-clock.fixture.ts'

const STREAM = '/api/events/'
const FRAME_MS = 16

/** One attempt to open the stream. `status` is null until it is answered, or when it never was. */
export type Attempt = { at: number; status: number | null }
export type Reader = Awaited<ReturnType<typeof openReader>>

export type ReaderOptions = {
  /** Where the reader connects to; a wire in between, perhaps. */
  base: string
  clock?: HurriedClock
  seed?: number
}

let readers = 0

export async function openReader(
  person: TestPerson,
  { base, clock = hurriedClock(), seed = ++readers }: ReaderOptions,
) {
  const { now, timers } = clock
  const random = seededRandom(seed)
  const visitor = createVisitor(base)
  for (const [name, value] of person.visitor.cookies) visitor.cookies.set(name, value)
  const attempts: Attempt[] = []
  const send: typeof fetch = async (url, init) => {
    const path = String(url)
    // The edge is another place, and gets no cookies.
    if (path.startsWith('http')) return fetch(url, init)
    // A browser says by itself where a POST comes from.
    if (init?.method === 'POST') return visitor.send(path, { ...init, headers: { ...init.headers, origin: base } })
    if (!path.startsWith(STREAM)) return visitor.send(path, init)
    const attempt: Attempt = { at: performance.now(), status: null }
    attempts.push(attempt)
    const answer = await visitor.send(path, init)
    attempt.status = answer.status
    attempt.at = performance.now()
    return answer
  }
  const trpc = createTRPCClient<AppRouter>({ links: [httpLink({ url: '/api/trpc', fetch: send as never })] })
  const me = await trpc.me.get.query()

  const queryClient = new QueryClient()
  const cache = createFeedCache({
    queryClient,
    reader: me,
    fetchPage: ({ filter }, { cursor }) => trpc.activities.getFeed.query({ filter, cursor }),
    fetchTalks: (ids) => trpc.activities.talks.query({ ids }),
    now,
    frame: (run) => void setTimeout(run, FRAME_MS),
    later: (run, ms) => void timers.set(run, ms),
    onUncounted: () => {},
  })

  async function ask(question: Ask): Promise<Answer> {
    if ('since' in question) return askSince({ fetch: send, timers, now }, question)
    try {
      return { ok: true, page: await trpc.activities.getFeed.query({}) }
    } catch (error) {
      return { ok: false, ...refusalOf(error, now()) }
    }
  }

  let kept: KeptSession = { id: null, offset: null }
  let ledger = NEW_LEDGER
  let signedOut = false
  const live = createLive({
    ...{ reader: me, cache, ask, fetch: send, tabs: null, timers, now, random },
    edge: me.edge
      ? {
          ask: (known) => askEdgeSession(send, known),
          kept: () => kept,
          keep: (next) => {
            kept = next
          },
        }
      : null,
    onCounts: () => {},
    onMarks: () => {},
    onSignedOut: () => {
      signedOut = true
    },
    onTopics: () => {},
    onBell: () => {},
    onLoss: (part) => {
      ledger = enter(ledger, part)
    },
    onRole: () => {},
  })
  const options = feedOptions(cache, { filter: 'all' })
  const list = new InfiniteQueryObserver(queryClient, options)
  const close = list.subscribe(() => {})
  const { pages } = await queryClient.fetchInfiniteQuery({ ...options, staleTime: 0, retry: false })
  live.start(pages[0]!, { online: true, hidden: false })

  const shown = () => queryClient.getQueryData(options.queryKey)?.pages.flatMap(({ items }) => items) ?? []
  return {
    clock,
    attempts,
    /** From the top. */
    shown,
    /** From the top to the very end, which may have to be loaded. */
    async everything() {
      while (list.getCurrentResult().hasNextPage) await list.fetchNextPage()
      return shown()
    },
    connection: () => connectionOf(live.state().ladder, now()),
    /** What the client would report: holes and repeats that it saw. */
    losses: () => owed(ledger),
    isSignedOut: () => signedOut,
    stop() {
      live.stop()
      close()
      clock.stop()
      queryClient.clear()
    },
  }
}
