// Where live entries enter the query cache. Gathers arrivals and writes them once per frame at most; keeps what came
// lately, so that a page that was already on its way can be brought up to date; knows whether somebody is reading, in
// which case arrivals are held. Decisions are in merge.ts.
import type { QueryClient } from '@tanstack/react-query'
import type { ActivityChange, Gone, Words } from '#shared/activity-change.ts'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import { newerTalk, type Talk, type TalkChange } from '#shared/talk.ts'
import { createChangeMemory } from './change-memory.ts'
import {
  applyMarks,
  applyNews,
  applyNewsInSight,
  belongs,
  dropGone,
  type FeedData,
  FIRST_PAGE,
  insert,
  joinSnapshot,
  type Mark,
  type PageParam,
  purge,
  rejoin,
  release,
  type Scope,
  sureId,
  tombstone,
  withWords,
} from './merge.ts'
import { createTalkMemory } from './talk-memory.ts'
import { type Deletion, isOwn, type Reader } from './unread.ts'

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

/** `seq` null: the answer to one's own call, which the log will tell of. */
export type HeardChange = { topic: number; seq: number | null; change: ActivityChange }

export type TalkListener = (change: TalkChange, topic: number) => void

type Deps = {
  queryClient: QueryClient
  reader: Reader
  fetchPage: FetchPage
  /** Of these, those that are still there and may be seen; `words` of those that were edited. */
  fetchTalks: (ids: number[]) => Promise<{ id: number; talk: Talk; words: Words | null }[]>
  now: () => number
  /** Calls back before the next paint, or soon when nothing is painted. */
  frame: (run: () => void) => void
  later: (run: () => void, ms: number) => void
  /** The base of the counts is too old to add to, or something changed of which it is not known how it counted. */
  onUncounted: () => void
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
  const changes = createChangeMemory()
  const changeListeners = new Set<(heard: HeardChange) => void>()
  let deletions: Deletion[] = []
  let renewals = 0
  const renewed = new Map<string, number>()
  /** While events are missing: by list, the newest activity that was sure when that began. */
  let loss: Map<string, number | undefined> | null = null

  /** An item as it is by now, with what was said about it; null when it is gone. */
  function bring<T extends FeedItem>(item: T): T | null {
    const changed = changes.bring(item)
    return changed && talks.bring(changed)
  }

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
    change((data) => applyNews(data, bring))
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
    const items = queue.flatMap((item) => bring(item) ?? [])
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
    bring,
  })

  /** As some list or page has it; undefined when none does. */
  function find(id: number): FeedItem | undefined {
    const single = queryClient.getQueryData<FeedItem>(itemKey(id))
    const known = single ?? recent.find((item) => item.id === id)
    if (known) return known
    for (const [, data] of queryClient.getQueriesData<FeedData>({ queryKey: ['feed'] }))
      for (const { items, held } of data?.pages ?? []) {
        const found = items.find((item) => item.id === id) ?? held?.find((item) => item.id === id)
        if (found) return found
      }
    return undefined
  }

  function dropGoneOf(key: FeedKey, inSight: ReadonlySet<number>) {
    const data = queryClient.getQueryData<FeedData>(key)
    const left = data && dropGone(data, inSight)
    if (left !== data) queryClient.setQueryData(key, left)
  }

  /** How a deleted activity counted; when that is not known, the counts are asked for. */
  function noteDeletion({ topic, seq, change: { activity, no } }: HeardChange) {
    const known = deletions.find((one) => one.topic === topic && one.no === no)
    const at = seq ?? Number.MAX_SAFE_INTEGER
    if (known) {
      if (at < known.seq) deletions = deletions.map((one) => (one === known ? { ...known, seq: at } : one))
      return
    }
    const item = find(activity)
    if (!item) return deps.onUncounted()
    const unread = !item.read && !isOwn(item, reader)
    const one = { topic, no, seq: at, unread, mentions: item.mentions.includes(reader.handle) }
    deletions = [...deletions, one].slice(-RECENT_MAX)
  }

  /** Words that begin or cease to mention the reader change counts and the list of mentions. */
  function noteWords({ change: { activity, words } }: HeardChange) {
    const item = find(activity)
    const mentioned = words?.mentions.includes(reader.handle) ?? false
    if (item && item.mentions.includes(reader.handle) === mentioned) return
    deps.onUncounted()
    for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: ['feed'] })) {
      const key = queryKey as unknown as FeedKey
      if (scopeOf(key).filter !== 'mentions') continue
      deps.later(() => {
        renewList(key).catch(() => {
          // What is shown stays true but for this one; the next renewal brings it.
        })
      }, 0)
    }
  }

  async function renewList(key: FeedKey): Promise<void> {
    const scope = scopeOf(key)
    const sure = loss?.has(key.join()) ? loss.get(key.join()) : sureId(queryClient.getQueryData<FeedData>(key))
    const turn = ++renewals
    const fetched = await deps.fetchPage(scope, FIRST_PAGE)
    // A list that was asked for later is here already: this one would take back what only that one told.
    if (turn < (renewed.get(key.join()) ?? 0)) return
    renewed.set(key.join(), turn)
    const page = joinSnapshot(fetched, FIRST_PAGE, scoped(scope))
    queryClient.setQueryData<FeedData>(key, (data) => rejoin(data, page, sure, isHeld(key)))
    // Also when more was lost meanwhile: up to what was fetched there is nothing missing.
    loss?.set(key.join(), sureId({ pages: [fetched], pageParams: [FIRST_PAGE] }))
    // The page told of its own rows only.
    const told = new Set(page.items.map((item) => item.id))
    const older = queryClient.getQueryData<FeedData>(key)?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? []
    await renewOlder(older.filter((id) => !told.has(id)))
  }

  async function renewOlder(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += TALKS_ASKED) {
      const asked = ids.slice(at, at + TALKS_ASKED)
      const found = new Map((await deps.fetchTalks(asked)).map((one) => [one.id, one]))
      const missing = new Set(asked.filter((id) => !found.has(id)))
      // What is not there any more was deleted while we heard nothing.
      if (missing.size > 0) change((data) => purge(data, ({ id }) => !missing.has(id)))
      changeAll((item) => {
        const { talk: next = item.talk, words = null } = found.get(item.id) ?? {}
        const shown = withWords(item, words)
        const talk = newerTalk(item.talk, next)
        return talk === item.talk ? shown : { ...shown, talk }
      })
    }
  }

  return {
    /** Live arrivals. Repeats are welcome: they are recognised by id. `own`: the reader has just posted one of them. */
    offer(items: readonly FeedItem[], own = false) {
      awaited ||= own
      const known = new Set(recent.map((item) => item.id))
      const news = items.flatMap((item) => (known.has(item.id) ? [] : (changes.bring(item) ?? [])))
      recent = recent.concat(news)
      if (recent.length > RECENT_MAX) {
        recent = recent.slice(-RECENT_MAX / 2)
        deps.onUncounted()
      }
      arrivals.push(...news.map(now))
      queue.push(...items)
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
    /**
     * What became of activities, live or as the answer to one's own call (`mine`). Repeats and any order are welcome. What
     * others delete in front of the reader leaves a tombstone on the list that is being read.
     */
    change(heard: readonly HeardChange[], mine = false) {
      for (const one of heard) {
        if (one.change.words === null) noteDeletion(one)
        else noteWords(one)
        changes.hear(one.change)
      }
      const ids = new Set(heard.map((one) => one.change.activity))
      const bringThese = (item: FeedItem) => (ids.has(item.id) ? changes.bring(item) : item)
      const goneBy = (id: number): Gone => changes.of(id)?.gone ?? 'age'
      recent = recent.flatMap((item) => bringThese(item) ?? [])
      change((data, key) =>
        isRead(key) && !mine ? applyNewsInSight(data, bringThese, goneBy) : applyNews(data, bringThese),
      )
      for (const id of ids) {
        queryClient.setQueryData<FeedItem>(
          itemKey(id),
          (item) => item && (bringThese(item) ?? tombstone(item, goneBy(id))),
        )
        if (changes.of(id)?.words === null) queryClient.removeQueries({ queryKey: ['thread', id], exact: true })
      }
      for (const one of heard) for (const listener of changeListeners) listener(one)
      tell()
    },
    onChange(listener: (heard: HeardChange) => void) {
      changeListeners.add(listener)
      return () => void changeListeners.delete(listener)
    },
    isGone: (id: number) => changes.of(id)?.words === null,
    /** Tombstones that have left the screen go. */
    dropGone: dropGoneOf,
    /** What was deleted lately, and how it counted; another list after every change. */
    deletions: () => deletions as readonly Deletion[],
    /** The server's answer about one conversation; shown at once, since somebody waits for it. */
    learnTalk(id: number, talk: Talk) {
      talks.learn(id, talk)
      changeAll((item) => (item.id === id ? talks.bring(item) : item))
    },
    /** An activity that came by itself, brought up to what was heard meanwhile. */
    bring: (item: FeedItem) => bring(item) ?? tombstone(item, changes.of(item.id)?.gone ?? 'age'),
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
        if (reading !== mine) return
        reading = null
        dropGoneOf(key, new Set())
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
    /** From here on what arrives may lie above a hole. */
    lossBegins() {
      if (loss) return
      loss = new Map()
      for (const [key, data] of queryClient.getQueriesData<FeedData>({ queryKey: ['feed'] }))
        loss.set(key.join(), sureId(data))
    },
    /** Everything that was missed is here. */
    lossEnds() {
      loss = null
    },
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
