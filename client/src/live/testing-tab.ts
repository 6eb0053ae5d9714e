// A tab with a live client whose clock, streams and answers are in the test's hands.
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import { NO_TALK } from '#shared/talk.ts'
import { connectionOf } from './connection.ts'
import { createFeedCache, type FeedCache, feedKey } from './feed-cache.ts'
import type { Losses } from './ledger.ts'
import { createLive } from './live.ts'
import { type FeedData, FIRST_PAGE } from './merge.ts'
import type { Answer, Ask } from './receiver.ts'
import type { TabsPlatform } from './tabs.ts'
import { anItem, handClock, type ImaginedServer, settled } from './testing.ts'
import type { EdgeDeps } from './transport.ts'

export const KEY = feedKey({ filter: 'all' })
const ada = { id: 'p-ada', handle: 'ada' }

/** The client closes streams in many tests; writing to a closed one is not what they are about. */
const ignoreCut = () => undefined

export type Stream = { url: string; write: (text: string) => void; end: () => void; open: boolean }
/** Answers by itself what would otherwise wait for the test's own answers. */
export type TestServer = {
  ask: (ask: Ask) => Answer | Promise<Answer>
  /** The newest page for a list that renews itself; its answer may take its time. */
  newest: () => FeedPage
  renew?: () => Promise<FeedPage>
  renewals: ImaginedServer['renewals']
  /** False when it cannot be reached. */
  connect: (url: string, stream: Stream) => boolean
}
type Options = {
  platform?: TabsPlatform | null
  clock?: ReturnType<typeof handClock>
  reader?: typeof ada
  server?: TestServer
  edge?: EdgeDeps
}

export const pageOf = (items: FeedItem[], heads: Record<string, number>, part: Partial<FeedPage> = {}): FeedPage => ({
  items,
  nextCursor: null,
  heads,
  liveCursor: 'epoch1.5-0',
  followsVersion: 1,
  ...part,
})

export function openTestTab({ platform = null, clock = handClock(), reader = ada, server, edge }: Options = {}) {
  const { now, timers } = clock
  const frames: (() => void)[] = []
  const queryClient = new QueryClient()
  const pages: FeedPage[] = []
  let uncounted = 0
  const cache: FeedCache = createFeedCache({
    queryClient,
    reader,
    fetchPage: async () => (await server?.renew?.()) ?? server?.newest() ?? pages.shift()!,
    fetchTalks: async (ids) => server?.renewals(ids) ?? ids.map((id) => ({ id, talk: NO_TALK, words: null })),
    now,
    frame: (run) => void frames.push(run),
    later: (run) => void frames.push(run),
    onUncounted: () => {
      uncounted += 1
    },
  })
  const streams: Stream[] = []
  const asked: Ask[] = []
  const answers: Answer[] = []
  const losses: Partial<Losses>[] = []
  const counts: UnreadCounts[] = []
  const refusals: Response[] = []
  let signedOut = 0
  const live = createLive({
    ...{ reader, cache, timers, now },
    tabs: platform,
    edge: edge ?? null,
    random: () => 0.5,
    ask: async (ask) => {
      asked.push(ask)
      return (await server?.ask(ask)) ?? answers.shift() ?? { ok: false, signedOut: false, retryAfterMs: null }
    },
    fetch: async (url, init) => {
      const refusal = refusals.shift()
      if (refusal) return refusal
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      const stream: Stream = {
        url: String(url),
        open: true,
        write: (text) => void writer.write(new TextEncoder().encode(text)).catch(ignoreCut),
        end: () => void writer.close().catch(ignoreCut),
      }
      init?.signal?.addEventListener('abort', () => {
        stream.open = false
      })
      streams.push(stream)
      if (server?.connect(stream.url, stream) === false) throw new TypeError('no network')
      return new Response(readable)
    },
    onCounts: (heard) => void counts.push(heard),
    onMarks: () => {},
    onLoss: (part) => void losses.push(part),
    onRole: () => {},
    onSignedOut: () => {
      signedOut += 1
    },
    onTopics: () => {},
    onBell: () => {},
  })

  /** Lets everything that is ready happen, and paints. */
  async function settle() {
    for (let round = 0; round < 4; round++) {
      await settled()
      for (const frame of frames.splice(0)) frame()
    }
  }

  const first = server?.newest() ?? pageOf([anItem({ id: 5 })], { 1: 5 })
  queryClient.setQueryData<FeedData>(KEY, { pages: [first], pageParams: [FIRST_PAGE] })
  // Somebody looks at it.
  new QueryObserver(queryClient, {
    queryKey: KEY,
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
  }).subscribe(() => {})

  return {
    ...{ live, cache, streams, asked, answers, pages, first, settle, queryClient, losses, counts, refusals },
    page: pageOf,
    sleep: clock.sleep,
    pass: async (ms: number) => {
      await clock.pass(ms)
      await settle()
    },
    send: async (event: string, body: unknown, id?: string) => {
      streams.at(-1)!.write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(body)}\n\n`)
      await settle()
    },
    start: () => live.start(first, { online: true, hidden: false }),
    shown: () => queryClient.getQueryData<FeedData>(KEY)!.pages.flatMap((page) => page.items.map((item) => item.id)),
    words: () =>
      queryClient.getQueryData<FeedData>(KEY)!.pages.flatMap((page) => page.items.map((item) => item.summary)),
    state: () => connectionOf(live.state().ladder, now()).state,
    signedOut: () => signedOut,
    uncounted: () => uncounted,
  }
}

export type TestTab = ReturnType<typeof openTestTab>
export const at = (item: FeedItem) => ({ topic: item.topic.id, seq: item.seq, activity: item })
