// The one place where live entries join what the screens show. Data is TanStack's infinite-query shape: pages of items
// by falling id. A change copies the page it touches and nothing else, so that ten thousand loaded rows cost an event
// no more than fifty. Arrivals that must not move what is being read are held on the first page.
import type { Gone, Words } from '#shared/activity-change.ts'
import type { FeedFilter, FeedItem, FeedPage } from '#shared/feed.ts'
import { newerTalk } from '#shared/talk.ts'

export type ShownPage = FeedPage & { held?: readonly FeedItem[] }
/** `gone`: deleted in front of the reader; its row stays until it leaves the screen. */
type ShownItem = FeedItem & { gone?: Gone }
/** `below`: the page holds only smaller ids. Null for the newest page. */
export type PageParam = { cursor: string | null; below: number | null }
export type FeedData = { pages: ShownPage[]; pageParams: PageParam[] }
export type Scope = { filter: FeedFilter; topic?: string; verb?: string }
export type Mark = { topic: number; from: number; to: number; read: boolean }

export const FIRST_PAGE: PageParam = { cursor: null, below: null }
/** A first page this long is closed and another one begun, so that inserting stays cheap on a busy day. */
const FRONT_PAGE_MAX = 100

export function nextPageParam(last: ShownPage, param: PageParam): PageParam | null {
  if (last.nextCursor === null) return null
  return { cursor: last.nextCursor, below: last.items.at(-1)?.id ?? param.below }
}

/** Whether an activity is part of what a screen shows. `follows` null: not known yet, so everything we got counts. */
export function belongs(scope: Scope, item: FeedItem, handle: string, follows: ReadonlySet<number> | null): boolean {
  if (scope.topic === undefined ? follows !== null && !follows.has(item.topic.id) : item.topic.name !== scope.topic)
    return false
  if (scope.verb !== undefined && item.verb !== scope.verb) return false
  if (scope.filter === 'mentions') return item.mentions.includes(handle)
  return scope.filter === 'all' || !item.read
}

/** Adds items where their id puts them, each once. Older ones than any loaded come with their page later. */
export function insert(data: FeedData, items: readonly FeedItem[], hold: boolean): FeedData {
  let next = data
  for (const item of items) next = insertOne(next, item, hold)
  return next
}

function insertOne(data: FeedData, item: FeedItem, hold: boolean): FeedData {
  const first = data.pages[0]
  if (!first) return data
  const held = first.held ?? []
  if (held.some((other) => other.id === item.id)) return data
  const at = pageOf(data, item.id)
  if (at === null) return data
  const page = data.pages[at]!
  const index = placeIn(page.items, item.id)
  if (page.items[index]?.id === item.id) return data
  if (hold) return withPage(data, 0, { ...first, held: held.toSpliced(placeIn(held, item.id), 0, item) })
  if (at === 0 && index === 0 && first.items.length >= FRONT_PAGE_MAX) return withNewFront(data, first, item)
  return withPage(data, at, { ...page, items: page.items.toSpliced(index, 0, item) })
}

/** The page whose range holds the id, or null when it lies below everything that has been loaded. */
function pageOf(data: FeedData, id: number): number | null {
  let highest: number | null = null
  for (const [index, page] of data.pages.entries()) {
    const lowest = page.items.at(-1)?.id
    if (lowest === undefined) continue
    // Newer than everything: always the first page, which may be the empty one.
    if (highest === null && id > page.items[0]!.id) return 0
    if (id >= lowest) return index
    highest ??= lowest
  }
  const last = data.pages.length - 1
  if (highest === null) return 0
  return data.pages[last]?.nextCursor === null ? last : null
}

/** Index of the first item with an id not above the given one. Items fall, so this is a binary search. */
function placeIn(items: readonly FeedItem[], id: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.id > id) low = middle + 1
    else high = middle
  }
  return low
}

const withPage = (data: FeedData, index: number, page: ShownPage): FeedData => ({
  ...data,
  pages: data.pages.with(index, page),
})

function withNewFront(data: FeedData, first: ShownPage, item: FeedItem): FeedData {
  const { held, ...closed } = first
  const front: ShownPage = held ? { ...closed, items: [item], held } : { ...closed, items: [item] }
  return {
    pages: [front, closed, ...data.pages.slice(1)],
    pageParams: [FIRST_PAGE, { cursor: null, below: item.id }, ...data.pageParams.slice(1)],
  }
}

/** Puts what was held where it belongs. */
export function release(data: FeedData): FeedData {
  const first = data.pages[0]
  if (!first?.held?.length) return data
  const { held, ...rest } = first
  return insert(withPage(data, 0, rest), held.toReversed(), false)
}

const mapItems = (items: readonly FeedItem[], change: Change): FeedItem[] | null => {
  let changed: FeedItem[] | null = null
  for (const [index, item] of items.entries()) {
    const next = change(item)
    if (next !== item) changed ??= items.slice(0, index)
    if (changed && next) changed.push(next)
  }
  return changed
}

type Change = (item: FeedItem) => FeedItem | null

function mapData(data: FeedData, change: Change, changeHeld = change): FeedData {
  let pages: ShownPage[] | null = null
  for (const [index, page] of data.pages.entries()) {
    const items = mapItems(page.items, change)
    const held = page.held ? mapItems(page.held, changeHeld) : null
    if (!items && !held) continue
    pages ??= [...data.pages]
    pages[index] = { ...page, ...(items ? { items } : {}), ...(held ? { held } : {}) }
  }
  return pages ? { ...data, pages } : data
}

function marked(item: FeedItem, marks: readonly Mark[]): FeedItem {
  let { read } = item
  for (const mark of marks)
    if (mark.topic === item.topic.id && mark.from <= item.no && item.no <= mark.to) read = mark.read
  return read === item.read ? item : { ...item, read }
}

/** Read marks, in the order they were made. Rows stay where they are, also in the list of unread ones. */
export const applyMarks = (data: FeedData, marks: readonly Mark[]): FeedData =>
  mapData(data, (item) => marked(item, marks))

/** What became of activities, brought by `bring`: null for one that is gone, the same item when there is nothing new. */
export const applyNews = (data: FeedData, bring: Change): FeedData => mapData(data, bring)

export const goneOf = (item: FeedItem): Gone | undefined => (item as ShownItem).gone

/** What is left of an activity that was deleted in front of the reader: its row, without what it said. */
export const tombstone = (item: FeedItem, gone: Gone): FeedItem => {
  const left: ShownItem = {
    ...item,
    summary: '',
    object: null,
    target: null,
    metadata: {},
    mentions: [],
    read: true,
    gone,
  }
  return left
}

/** As `applyNews` for a list that is being read: what is on it and gone stays as a tombstone, unless it was waiting. */
export const applyNewsInSight = (data: FeedData, bring: Change, gone: (id: number) => Gone): FeedData =>
  mapData(data, (item) => (goneOf(item) ? item : (bring(item) ?? tombstone(item, gone(item.id)))), bring)

/** Takes tombstones away, except these. */
export const dropGone = (data: FeedData, except: ReadonlySet<number>): FeedData =>
  mapData(data, (item) => (goneOf(item) && !except.has(item.id) ? null : item))

/** The item with newer words. */
export const withWords = (item: FeedItem, words: Words | null): FeedItem =>
  words && words.edited.version > (item.edited?.version ?? 0) ? { ...item, ...words } : item

/** Takes away everything of topics that the person may no longer see or no longer follows. */
export const purge = (data: FeedData, keep: (item: FeedItem) => boolean): FeedData =>
  mapData(data, (item) => (keep(item) ? item : null))

/** What arrived and was marked while pages were being fetched; bounded by its owner. */
export type Recent = {
  items: readonly FeedItem[]
  marks: readonly Mark[]
  /** What became of an item meanwhile. */
  bring: Change
}

/**
 * A page as the server saw it, brought up to what we have heard since: a snapshot may be older than events that came by
 * another way while it was travelling.
 */
export function joinSnapshot(page: FeedPage, param: PageParam, scoped: Recent): FeedPage {
  const lowest = page.items.at(-1)?.id
  const isIn = (item: FeedItem) =>
    item.seq > (page.heads[item.topic.id] ?? 0) &&
    (param.below === null || item.id < param.below) &&
    (page.nextCursor === null || (lowest !== undefined && item.id > lowest))
  let data: FeedData = { pages: [page], pageParams: [param] }
  data = applyMarks(data, scoped.marks)
  data = insert(data, scoped.items.filter(isIn), false)
  data = applyNews(data, scoped.bring)
  // `insert` may have begun a second page; a page that is fetched stays one.
  return data.pages.length === 1 ? data.pages[0]! : { ...page, items: data.pages.flatMap((part) => part.items) }
}

/** Ids are given before their transactions commit, so that neighbours may swap places. */
const SWAPPED_MAX = 10

/**
 * The newest activity of a list below which nothing can be missing while all events so far are known: not quite the
 * first one, since something older by its id may have been committed after it.
 */
export function sureId(data: FeedData | undefined): number | undefined {
  const first = data?.pages.flatMap(({ items }) => items).slice(0, SWAPPED_MAX + 1)
  return first?.at(-1)?.id
}

/**
 * A fresh first page over what is shown, after a time in which we may have missed something. What is shown stays, with
 * the new items added, if the page reaches down to it; otherwise there may be a hole between them, and the page is all
 * that is known to be true. `sure` is the newest that was sure when the loss began (`sureId`): what came in since may
 * itself lie above a hole.
 */
export function rejoin(data: FeedData | undefined, page: FeedPage, sure: number | undefined, hold: boolean): FeedData {
  const lowest = page.items.at(-1)?.id
  const reaches = sure !== undefined && (page.nextCursor === null || (lowest !== undefined && lowest <= sure))
  if (!data || !reaches) return { pages: [page], pageParams: [FIRST_PAGE] }
  const server = new Map(page.items.map((item) => [item.id, item]))
  // Inside the page's range the server knows best: flags, what was said, and what is no longer there.
  const corrected = mapData(data, (item) => {
    const known = server.get(item.id)
    if (known) {
      const { summary, mentions, edited } = known
      const shown = withWords(item, edited && { summary, mentions, edited })
      const talk = newerTalk(item.talk, known.talk)
      return known.read === item.read && talk === item.talk ? shown : { ...shown, read: known.read, talk }
    }
    const gone = lowest !== undefined && item.id > lowest && item.seq <= (page.heads[item.topic.id] ?? 0)
    return gone ? null : item
  })
  return insert(corrected, page.items.toReversed(), hold)
}
