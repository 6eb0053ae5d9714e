import { expect, it } from 'vitest'
import type { FeedItem } from '#shared/feed.ts'
import { anItem } from '../live/testing.ts'
import { buildRows, createRowBuilder, indexOfItem, neighbour, nextUnread, shownUpTo } from './rows.ts'

const now = new Date('2026-11-18T12:00:00').getTime()
const on = (id: number, local: string) => anItem({ id, publishedAt: new Date(local).toISOString() })
const reader = { id: 'p-ada', handle: 'ada' }
const none: ReadonlySet<string> = new Set()
const hidden: ReadonlySet<number> = new Set()
const page = (items: FeedItem[]) => ({ items, nextCursor: null, heads: {}, liveCursor: null, followsVersion: 1 })
it('[FEED-13] days have headings, once each, also across pages', () => {
  const pages = [
    page([on(4, '2026-11-18T10:00'), on(3, '2026-11-17T10:00')]),
    page([on(2, '2026-11-17T09:00'), on(1, '2026-11-03T09:00')]),
  ]
  expect(buildRows({ pages, since: null, reader, open: none, hidden }).map((row) => row.kind)).toEqual([
    'day',
    'item',
    'day',
    'item',
    'item',
    'day',
    'item',
  ])
})

it('[FEED-13] the old first row keeps its mark, an item that comes twice is shown once', () => {
  const pages = [page([on(4, '2026-11-18T10:00'), on(3, '2026-11-18T09:00')]), page([on(3, '2026-11-18T09:00')])]
  const rows = buildRows({ pages, since: { id: 3, at: now }, reader, open: none, hidden })
  expect(rows.map((row) => row.kind)).toEqual(['day', 'item', 'since', 'item'])
  expect(rows.flatMap((row) => (row.kind === 'item' ? [row.place] : []))).toEqual([1, 2])
  expect(neighbour(rows, 1, 1)).toBe(3)
  expect(neighbour(rows, 1, -1)).toBeNull()
  expect(indexOfItem(rows, 3)).toBe(3)
  expect(indexOfItem(rows, 9)).toBeNull()
})

it('[FEED-20] what is held changes no row, a changed item does', () => {
  const build = createRowBuilder()
  const first = page([on(4, '2026-11-18T10:00')])
  const rows = build({ pages: [first], since: null, reader, open: none, hidden })
  expect(
    build({
      pages: [{ ...first, held: [on(5, '2026-11-18T11:00')] } as typeof first],
      since: null,
      reader,
      open: none,
      hidden,
    }),
  ).toBe(rows)
  expect(
    build({ pages: [page([on(5, '2026-11-18T11:00'), ...first.items])], since: null, reader, open: none, hidden }),
  ).toHaveLength(3)
})

it('[FEED-13] mark all read covers what was shown and leaves what waits above the list', () => {
  const upTo = shownUpTo(
    { 1: 9, 2: 4 },
    [page([anItem({ id: 1, no: 10 })])],
    [anItem({ id: 3, no: 12 }), anItem({ id: 2, no: 4, topicId: 2 })],
  )
  expect(upTo).toEqual({ 1: 10, 2: 3 })
})

it('[FEED-13] the next unread row is below the chosen one, or else the first', () => {
  const item = (id: number, read: boolean) => ({ ...on(id, '2026-11-18T10:00'), read })
  const rows = buildRows({
    pages: [page([item(4, true), item(3, false), item(2, true), item(1, false)])],
    since: null,
    reader,
    open: none,
    hidden,
  })
  expect([-1, 2, 4].map((from) => nextUnread(rows, from))).toEqual([2, 4, 2])
  expect(
    nextUnread(buildRows({ pages: [page([item(4, true)])], since: null, reader, open: none, hidden }), -1),
  ).toBeNull()
})
