// Everything live for one signed-in person, wired: the only file of the client that knows all its parts. Screens get it
// from LiveProvider and never reach past it.
import type { QueryClient } from '@tanstack/react-query'
import type { ActivityChange } from '#shared/activity-change.ts'
import { ERRORS } from '#shared/errors.ts'
import type { FeedItem } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { Person } from '#shared/person.ts'
import { loadOnline } from '../lib/lazy-part.ts'
import { noteSignedOut } from '../lib/session.ts'
import { errorBody, trpc, trpcClient } from '../lib/trpc.ts'
import { createEditor, type EditResult } from './editor.ts'
import { createFeedCache, type FetchPage } from './feed-cache.ts'
import { feedOptions } from './feed-options.ts'
import { keptEdge } from './kept-edge.ts'
import type { Losses } from './ledger.ts'
import { createLiveHandle } from './live-handle.ts'
import { createLossReporter } from './loss-reporter.ts'
import { createMarker } from './marker.ts'
import { createOutbox, type Post, type SendResult } from './outbox.ts'
import { askSince, POLL_TIMEOUT_MS } from './poll-request.ts'
import { createReactor } from './reactor.ts'
import { createReadSync } from './read-sync.ts'
import type { Answer, Ask } from './receiver.ts'
import { refusalOf } from './refusal.ts'
import { createRenderSampler, SAMPLED_SHARE } from './render-sampler.ts'
import { reportLosses } from './report-losses.ts'
import { load, save } from './saved.ts'
import { keepScreens, restoreScreens } from './saved-screens.ts'
import { browserTabs } from './tabs.ts'
import { countsAfterMarks, isOwn, newerCounts } from './unread.ts'

export const COUNTS_KEY = trpc.activities.unreadCounts.queryKey()
export const BELL_KEY = ['bell'] as const
const TOPICS_KEY = trpc.topics.list.queryKey()

const COUNTS_SPREAD_MS = 1_000

export type PersonLive = ReturnType<typeof createPersonLive>

const timers = {
  set: (run: () => void, ms: number): unknown => setTimeout(run, ms),
  clear: (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

const browserFetch: typeof fetch = (...args) => fetch(...args)

/** Nothing is painted in a hidden tab, so there a frame would never come. */
const frame = (run: () => void) => {
  if (document.visibilityState === 'visible') requestAnimationFrame(run)
  else setTimeout(run, 100)
}

/** The frame in which it is painted, and then the first moment after it. */
const afterPaint = (run: () => void) => requestAnimationFrame(() => setTimeout(run))

export function createPersonLive(queryClient: QueryClient, me: Person, hasEdge: boolean) {
  const later = (run: () => void, ms: number) => void setTimeout(run, ms)
  const refreshCounts = () => void queryClient.invalidateQueries({ queryKey: COUNTS_KEY })

  const fetchPage: FetchPage = ({ filter, topic, verb }, { cursor }, signal) =>
    trpcClient.activities.getFeed.query(
      { filter, cursor, ...(topic ? { topic } : {}), ...(verb ? { verb } : {}) },
      signal ? { signal } : {},
    )
  const cache = createFeedCache({
    queryClient,
    reader: me,
    fetchPage,
    fetchTalks: (ids) => trpcClient.activities.talks.query({ ids }, { context: { alone: true } }),
    now: Date.now,
    frame,
    later,
    // Not all readers at the same moment.
    onUncounted: () => later(refreshCounts, Math.random() * COUNTS_SPREAD_MS),
  })
  cache.onChange(({ change }) => {
    if (change.words === null && change.rang.includes(me.id)) void queryClient.invalidateQueries({ queryKey: BELL_KEY })
  })

  const setCounts = (counts: UnreadCounts) =>
    queryClient.setQueryData<UnreadCounts>(COUNTS_KEY, (known) => newerCounts(known, counts))
  const readSync = createReadSync({
    renew: () => {
      cache.forgetMarks()
      return cache.renew()
    },
    isMarking: () => marker.waiting() > 0,
    timers,
  })
  /** Counts that answer marks of our own. */
  const onCounts = (counts: UnreadCounts) => {
    setCounts(counts)
    readSync.ownMarksShown(counts.version)
  }

  async function ask(question: Ask): Promise<Answer> {
    if ('since' in question) return askSince({ fetch: browserFetch, timers, now: Date.now }, question)
    try {
      const signal = AbortSignal.timeout(POLL_TIMEOUT_MS)
      return { ok: true, page: await trpcClient.activities.getFeed.query({}, { context: { alone: true }, signal }) }
    } catch (error) {
      const { signedOut, retryAfterMs } = refusalOf(error, Date.now())
      return { ok: false, signedOut, retryAfterMs }
    }
  }

  const outbox = createOutbox({
    async send({ topic, text, key }): Promise<SendResult> {
      try {
        const item = await trpcClient.activities.publish.mutate({
          topic,
          verb: 'posted',
          summary: text,
          idempotencyKey: key,
        })
        return { ok: true, item }
      } catch (error) {
        const body = errorBody(error)
        if (body?.code === 'SIGNED_OUT') noteSignedOut()
        // It was stored by an earlier try, and deleted on another device since.
        if (body?.code === 'DELETED') return { ok: true, item: null }
        if (body && ERRORS[body.code].retry !== 'later') return { ok: false, later: false, body }
        return { ok: false, later: true, retryAfterMs: refusalOf(error, Date.now()).retryAfterMs }
      }
    },
    onSent: (item) => item && cache.offer([item], true),
    onFailed: (post) => {
      for (const listener of failureListeners) listener(post)
    },
    save: (posts) => void save(me.id, 'posts', posts),
    isOnline: () => navigator.onLine,
    now: Date.now,
    newKey: () => crypto.randomUUID(),
    later,
  })
  const failureListeners = new Set<(post: Post) => void>()

  const marker = createMarker({
    async send(ids, read) {
      try {
        const counts = await trpcClient.activities[read ? 'markRead' : 'markUnread'].mutate({ ids })
        return { ok: true, counts }
      } catch (error) {
        const body = errorBody(error)
        return { ok: false, later: body === null || ERRORS[body.code].retry !== 'no' }
      }
    },
    onCounts,
    onRefused: refreshCounts,
    save: (marks) => void save(me.id, 'marks', marks),
    later,
  })

  const refusalListeners = new Set<(reason: string) => void>()
  const onRefused = (reason: string) => {
    for (const listener of refusalListeners) listener(reason)
  }
  const reactor = createReactor({
    async send(id, emoji) {
      try {
        return { ok: true, talk: await trpcClient.activities.react.mutate({ id, emoji }) }
      } catch (error) {
        const body = errorBody(error)
        return { ok: false, later: body === null || ERRORS[body.code].retry !== 'no', message: body?.message ?? '' }
      }
    },
    onTalk: cache.learnTalk,
    onRefused,
    save: (wishes) => void save(me.id, 'reactions', wishes),
  })

  const edited = async (call: Promise<ActivityChange>): Promise<EditResult> => {
    try {
      return { ok: true, change: await call }
    } catch (error) {
      return { ok: false, message: errorBody(error)?.message ?? '' }
    }
  }
  const editor = createEditor({
    edit: (id, summary) => edited(trpcClient.activities.edit.mutate({ id, summary })),
    remove: (id) => edited(trpcClient.activities.delete.mutate({ id })),
    onChange: (topic, change) => cache.change([{ topic, seq: null, change }], true),
    onRefused,
  })

  let leading = false
  const losses = createLossReporter({
    send: (report) => reportLosses(browserFetch, report),
    load: () => load<Losses>(me.id, 'losses'),
    save: (owed) => void save(me.id, 'losses', owed),
    isOnline: () => navigator.onLine,
    timers,
    now: Date.now,
  })

  const sampler = createRenderSampler({
    ...{ chosen: Math.random() < SAMPLED_SHARE, afterPaint, later, now: () => performance.now() },
    isVisible: () => document.visibilityState === 'visible',
    send: (ms) => trpcClient.live.rendered.mutate({ ms }),
  })
  cache.subscribe(sampler.changed)

  const live = createLiveHandle(() => loadOnline(() => import('./live.ts')), {
    reader: me,
    cache: {
      ...cache,
      offer(items) {
        const posted = items.filter((item) => isOwn(item, me) && outbox.arrived(item))
        sampler.arrived()
        cache.offer(items, posted.length > 0)
      },
    },
    ask,
    fetch: browserFetch,
    edge: hasEdge ? keptEdge(browserFetch, me.id) : null,
    tabs: browserTabs(),
    timers,
    now: Date.now,
    random: Math.random,
    onCounts: (counts) => {
      setCounts(counts)
      readSync.countsHeard(counts.version)
    },
    onMarks: readSync.marksShown,
    onLoss: losses.note,
    onRole: (leads) => {
      leading = leads
      void (leads ? losses.begin() : losses.end())
    },
    onBell: () => void queryClient.invalidateQueries({ queryKey: BELL_KEY }),
    onSignedOut: noteSignedOut,
    onTopics: () => {
      void queryClient.invalidateQueries(trpc.topics.pathFilter())
      refreshCounts()
    },
  })

  const mutedTopics = (): ReadonlySet<number> =>
    new Set(queryClient.getQueryData(TOPICS_KEY)?.flatMap((topic) => (topic.muted ? [topic.id] : [])))

  function mark(items: readonly FeedItem[], read: boolean) {
    const changed = items.filter((item) => item.read !== read && !cache.isGone(item.id))
    if (changed.length === 0) return
    queryClient.setQueryData<UnreadCounts>(
      COUNTS_KEY,
      (known) => known && countsAfterMarks(known, changed, read, me, mutedTopics()),
    )
    cache.mark(changed.map(({ topic, no }) => ({ topic: topic.id, from: no, to: no, read })))
    marker.mark(
      changed.map((item) => item.id),
      read,
    )
  }

  return {
    me,
    cache,
    live,
    outbox,
    marker,
    reactor,
    editor,
    mark,
    onCounts,
    mutedTopics,
    /** Whether this is the tab that speaks for all of them. */
    leads: () => leading,
    onPostFailed(listener: (post: Post) => void) {
      failureListeners.add(listener)
      return () => void failureListeners.delete(listener)
    },
    /** Something that was shown at once had to be taken back. */
    onRefused,
    onNotSaved(listener: (reason: string) => void) {
      refusalListeners.add(listener)
      return () => void refusalListeners.delete(listener)
    },
    /** What was kept on this device, before anything is shown. */
    async restore(): Promise<void> {
      await restoreScreens(queryClient, me.id)
      await queryClient.invalidateQueries({ queryKey: ['feed'], refetchType: 'none' })
      const [posts, marks, wishes] = await Promise.all([
        load<Post[]>(me.id, 'posts'),
        load<[number, boolean][]>(me.id, 'marks'),
        load<[number, string | null][]>(me.id, 'reactions'),
      ])
      if (posts?.length) outbox.restore(posts)
      if (marks?.length) marker.restore(marks)
      if (wishes?.length) reactor.restore(wishes)
    },
    /** Goes live and stays so until the returned function is called. */
    run(): () => void {
      let stopped = false
      const stopKeeping = keepScreens(queryClient, me.id, [COUNTS_KEY, TOPICS_KEY])
      const at = () => ({ online: navigator.onLine, hidden: document.visibilityState === 'hidden' })
      const newest = navigator.onLine
        ? queryClient
            .fetchInfiniteQuery({ ...feedOptions(cache, { filter: 'all' }), staleTime: 0, retry: false })
            .then(({ pages }) => pages[0] ?? null)
            // Without a first page we go live all the same, and the list itself says what failed.
            .catch(() => null)
        : Promise.resolve(null)
      void newest.then((page) => {
        if (!stopped) void live.start(page, at)
      })
      const back = () => {
        live.online(true)
        outbox.wake()
        reactor.wake()
        void marker.flush()
      }
      const away = () => {
        void marker.flush()
        live.frozen()
      }
      const listeners: [EventTarget, string, (event: Event) => void][] = [
        [window, 'online', back],
        [window, 'offline', () => live.online(false)],
        [window, 'pageshow', (event) => (event as PageTransitionEvent).persisted && live.thawed()],
        [window, 'pagehide', away],
        [document, 'freeze', away],
        [document, 'resume', live.thawed],
        [document, 'visibilitychange', () => live.visible(document.visibilityState === 'visible')],
      ]
      for (const [target, name, listener] of listeners) target.addEventListener(name, listener)
      return () => {
        stopped = true
        live.stop()
        readSync.stop()
        stopKeeping()
        for (const [target, name, listener] of listeners) target.removeEventListener(name, listener)
      }
    },
  }
}
