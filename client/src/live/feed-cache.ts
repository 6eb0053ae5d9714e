// Where live entries enter the query cache. Gathers arrivals and writes them once per frame at most; keeps what came
// lately, so that a page that was already on its way can be brought up to date; knows whether somebody is reading, in
// which case arrivals are held. Decisions are in merge.ts.
import type { QueryClient } from '@tanstack/react-query'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import { newerTalk, type Talk, type TalkChange } from '#shared/talk.ts'
import {
  applyMarks,
  applyTalks,
  belongs,
  type FeedData,
  FIRST_PAGE,
  insert,
  joinSnapshot,
  type Mark,
  newestId,
  type PageParam,
  purge,
  rejoin,
  release,
  type Scope,
} from './merge.ts'
import { createTalkMemory } from './talk-memory.ts'
import type { Reader } from './unread.ts'

const RECENT_MAX = 1_000
const MARKS_MAX = 1_000
/** More than so many in a second are not shown one by one. */
const CALM_PER_SECOND = 3
const BUSY_FLUSH_MS = 500
const FRESH_MS = 2_000
/** As many as fit into an address. */
const TALKS_ASKED = 200

export type FeedKey = readonly ['feed', string, string, string]
export const feedKey = ({ topic, filter, verb }: Scope): FeedKey => ['feed', topic ?? '', filter, verb ?? '']
export const scopeOf = ([, topic, filter, verb]: FeedKey): Scope => ({
  filter: filter as Scope['filter'],
  ...(topic ? { topic } : {}),
  ...(verb ? { verb } : {}),
})

/** One activity on a page of its own; kept as new as the lists. */
export const itemKey = (id: number) => ['item', id] as const

export type FetchPage = (scope: Scope, param: PageParam, signal?: AbortSignal) => Promise<FeedPage>

export type TalkListener = (change: TalkChange, topic: number) => void

type Deps = {
  queryClient: QueryClient
  reader: Reader
  fetchPage: FetchPage
  fetchTalks: (ids: number[]) => Promise<{ id: number; talk: Talk }[]>
  now: () => number
  /** Calls back before the next paint, or soon when nothing is painted. */
  frame: (run: () => void) => void
  later: (run: () => void, ms: number) => void
  /** The base of the counts is too old to add to. */
  onOverflow: () => void
}

export type FeedCache = ReturnType<typeof createFeedCache>

export function createFeedCache(deps: Deps) {
  const { queryClient, reader, now } = deps
  const listeners = new Set<() => void>()
  let recent: FeedItem[] = []
  let marks: Mark[] = []
  let follows: ReadonlySet<number> | null = null
  let queue: FeedItem[] = []
  let scheduled = false
  /** Something among the arrivals was asked for by the reader, who wants to see it now. */
  let awaited = false
  let flushedAt = 0
  let arrivals: number[] = []
  let reading: { key: FeedKey; mustStay: () => boolean } | null = null
  const fresh = new Map<number, number>()
  const talks = createTalkMemory(reader.id)
  const talkListeners = new Set<TalkListener>()
  let talked = false

  const isRead = (key: FeedKey) => reading?.key.join() === key.join()
  const isHeld = (key: FeedKey) => isRead(key) && reading!.mustStay()
  const tell = () => {
    for (const listener of listeners) listener()
  }

  function change(update: (data: FeedData, key: FeedKey) => FeedData) {
    for (const [key, data] of queryClient.getQueriesData<FeedData>({ queryKey: ['feed'] })) {
      if (!data) continue
      const next = update(data, key as unknown as FeedKey)
      if (next !== data) queryClient.setQueryData(key, next)
    }
  }

  /** Every activity on screen, in lists and by itself. */
  function changeAll(bring: (item: FeedItem) => FeedItem) {
    change((data) => applyTalks(data, bring))
    for (const [key, item] of queryClient.getQueriesData<FeedItem>({ queryKey: ['item'] })) {
      const next = item && bring(item)
      if (next !== item) queryClient.setQueryData(key, next)
    }
  }

  function schedule() {
    if (scheduled) return
    scheduled = true
    const second = now() - 1_000
    arrivals = arrivals.filter((at) => at > second)
    const waitMs = arrivals.length > CALM_PER_SECOND ? flushedAt + BUSY_FLUSH_MS - now() : 0
    if (waitMs > 0) deps.later(flush, waitMs)
    else deps.frame(flush)
  }

  function flush() {
    scheduled = false
    flushedAt = now()
    const items = queue
    const letIn = awaited
    queue = []
    awaited = false
    if (talked) {
      talked = false
      changeAll(talks.bring)
    }
    if (items.length === 0) return
    if (arrivals.length <= CALM_PER_SECOND) for (const item of items) fresh.set(item.id, flushedAt)
    for (const [id, at] of fresh) if (flushedAt - at > FRESH_MS) fresh.delete(id)
    change((data, key) => {
      const scope = scopeOf(key)
      const wanted = items.filter((item) => belongs(scope, item, reader.handle, follows))
      if (wanted.length === 0) return data
      return isHeld(key) && !letIn ? insert(data, wanted, true) : insert(release(data), wanted, false)
    })
    tell()
  }

  const scoped = (scope: Scope) => ({
    items: recent.filter((item) => belongs(scope, item, reader.handle, follows)),
    marks,
    bring: talks.bring,
  })

  async function renewList(key: FeedKey): Promise<void> {
    const scope = scopeOf(key)
    const newest = newestId(queryClient.getQueryData<FeedData>(key))
    const page = joinSnapshot(await deps.fetchPage(scope, FIRST_PAGE), FIRST_PAGE, scoped(scope))
    queryClient.setQueryData<FeedData>(key, (data) => rejoin(data, page, newest, isHeld(key)))
    // The page told of its own rows only.
    const told = new Set(page.items.map((item) => item.id))
    const older = queryClient.getQueryData<FeedData>(key)?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? []
    await renewTalks(older.filter((id) => !told.has(id)))
  }

  async function renewTalks(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += TALKS_ASKED) {
      const found = new Map((await deps.fetchTalks(ids.slice(at, at + TALKS_ASKED))).map(({ id, talk }) => [id, talk]))
      changeAll((item) => {
        const talk = newerTalk(item.talk, found.get(item.id) ?? item.talk)
        return talk === item.talk ? item : { ...item, talk }
      })
    }
  }

  return {
    /** Live arrivals. Repeats are welcome: they are recognised by id. `own`: the reader has just posted one of them. */
    offer(items: readonly FeedItem[], own = false) {
      awaited ||= own
      const known = new Set(recent.map((item) => item.id))
      const news = items.filter((item) => !known.has(item.id))
      recent = recent.concat(news)
      if (recent.length > RECENT_MAX) {
        recent = recent.slice(-RECENT_MAX / 2)
        deps.onOverflow()
      }
      arrivals.push(...news.map(now))
      queue.push(...items.map(talks.bring))
      schedule()
    },
    /** What people say about activities, live. Repeats and any order are welcome. */
    talk(changes: readonly { topic: number; change: TalkChange }[]) {
      for (const { topic, change: one } of changes) {
        talks.hear(one)
        for (const listener of talkListeners) listener(one, topic)
      }
      talked = true
      schedule()
    },
    /** The server's answer about one conversation; shown at once, since somebody waits for it. */
    learnTalk(id: number, talk: Talk) {
      talks.learn(id, talk)
      changeAll((item) => (item.id === id ? talks.bring(item) : item))
    },
    /** An activity that came by itself, brought up to what was heard meanwhile. */
    bring: (item: FeedItem) => talks.bring(item),
    onTalk(listener: TalkListener) {
      talkListeners.add(listener)
      return () => void talkListeners.delete(listener)
    },
    mark(made: readonly Mark[]) {
      marks = [...marks, ...made].slice(-MARKS_MAX)
      const data: FeedData = { pages: [pageOf(recent)], pageParams: [FIRST_PAGE] }
      recent = applyMarks(data, made).pages[0]!.items
      change((shown) => applyMarks(shown, made))
      for (const [key, item] of queryClient.getQueriesData<FeedItem>({ queryKey: ['item'] })) {
        const shown = item && applyMarks({ pages: [pageOf([item])], pageParams: [FIRST_PAGE] }, made).pages[0]!.items[0]
        if (shown !== item) queryClient.setQueryData(key, shown)
      }
      tell()
    },
    /** The server knows them all by now: pages that are asked for from here on are newer than any of them. */
    forgetMarks() {
      marks = []
    },
    /** The topics that the person follows and may see. What is of others leaves the screens at once. */
    follow(topics: ReadonlySet<number>) {
      follows = topics
      recent = recent.filter((item) => topics.has(item.topic.id))
      const hidden = (item: FeedItem) => item.topic.visibility === 'private' && !topics.has(item.topic.id)
      change((data, key) => {
        if (scopeOf(key).topic === undefined) return purge(data, (item) => topics.has(item.topic.id))
        const left = purge(data, (item) => !hidden(item))
        // A private topic's own page: the server says whether it may still be seen.
        if (left !== data) deps.later(() => void queryClient.resetQueries({ queryKey: key, exact: true }), 0)
        return left
      })
      tell()
    },
    follows: () => follows,
    /** Which list is being read, and a question to its screen: must the rows stay where they are? Returns the end of it. */
    read(key: FeedKey, mustStay: () => boolean): () => void {
      const mine = { key, mustStay }
      reading = mine
      return () => {
        if (reading === mine) reading = null
      }
    },
    release(key: FeedKey) {
      const data = queryClient.getQueryData<FeedData>(key)
      if (data) queryClient.setQueryData(key, release(data))
    },
    async page(scope: Scope, param: PageParam, signal?: AbortSignal): Promise<FeedPage> {
      return joinSnapshot(await deps.fetchPage(scope, param, signal), param, scoped(scope))
    },
    /** Asks for the newest page of one list and joins it with what is shown. */
    renewList,
    /** After a time in which something may have been missed: every list that is shown. */
    async renew() {
      const lists = queryClient.getQueryCache().findAll({ queryKey: ['feed'] })
      const shown = lists.filter((query) => query.isActive())
      for (const { queryKey } of lists.filter((query) => !query.isActive()))
        queryClient.removeQueries({ queryKey, exact: true })
      void queryClient.invalidateQueries({ queryKey: ['thread'] })
      void queryClient.invalidateQueries({ queryKey: ['item'] })
      void queryClient.invalidateQueries({ queryKey: ['bell'] })
      await Promise.all(shown.map(({ queryKey }) => renewList(queryKey as unknown as FeedKey)))
    },
    /** What came live lately, each once; another list after every change. */
    recentList: () => recent as readonly FeedItem[],
    isFresh: (id: number) => now() - (fresh.get(id) ?? Number.NEGATIVE_INFINITY) < FRESH_MS,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const pageOf = (items: FeedItem[]): FeedPage => ({
  items,
  nextCursor: null,
  heads: {},
  liveCursor: null,
  followsVersion: 0,
})
