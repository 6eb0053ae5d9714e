import { expect, it } from 'vitest'
import type { FeedItem } from '#shared/feed.ts'
import { anItem } from '../live/testing.ts'
import { buildRows, neighbour, shownUpTo } from './rows.ts'

const now = new Date('2026-11-18T12:00:00').getTime()
const on = (id: number, local: string) => anItem({ id, publishedAt: new Date(local).toISOString() })
const page = (items: FeedItem[]) => ({ items, nextCursor: null, heads: {}, liveCursor: null, followsVersion: 1 })
const post = {
  key: 'k',
  topic: 'project/t1',
  text: 'x',
  writtenAt: now,
  state: 'sending',
  offline: false,
  reason: null,
} as const

it('[FEED-13] days have headings, once each, also across pages', () => {
  const pages = [
    page([on(4, '2026-11-18T10:00'), on(3, '2026-11-17T10:00')]),
    page([on(2, '2026-11-17T09:00'), on(1, '2026-11-03T09:00')]),
  ]
  expect(buildRows({ pages, posts: [], now, since: null }).map((row) => row.kind)).toEqual([
    'day',
    'item',
    'day',
    'item',
    'item',
    'day',
    'item',
  ])
})

it('[FEED-15] posts on their way stand under today, newest first, also when nothing else is of today', () => {
  const rows = buildRows({
    pages: [page([on(1, '2026-11-03T09:00')])],
    posts: [post, { ...post, key: 'l' }],
    now,
    since: null,
  })
  expect(rows.map((row) => row.key.replace(/^day-.*/, 'day'))).toEqual(['day', 'post-l', 'post-k', 'day', 'item-1'])
})

it('[FEED-13] the old first row keeps its mark, an item that comes twice is shown once', () => {
  const pages = [page([on(4, '2026-11-18T10:00'), on(3, '2026-11-18T09:00')]), page([on(3, '2026-11-18T09:00')])]
  const rows = buildRows({ pages, posts: [], now, since: { id: 3, at: now } })
  expect(rows.map((row) => row.kind)).toEqual(['day', 'item', 'since', 'item'])
  expect(rows.flatMap((row) => (row.kind === 'item' ? [row.place] : []))).toEqual([1, 2])
  expect(neighbour(rows, 1, 1)).toBe(3)
  expect(neighbour(rows, 1, -1)).toBeNull()
})

it('[FEED-13] mark all read covers what was shown and leaves what waits above the list', () => {
  const upTo = shownUpTo(
    { 1: 9, 2: 4 },
    [page([anItem({ id: 1, no: 10 })])],
    [anItem({ id: 3, no: 12 }), anItem({ id: 2, no: 4, topicId: 2 })],
  )
  expect(upTo).toEqual({ 1: 10, 2: 3 })
})
