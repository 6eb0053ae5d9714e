import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FeedItem } from '#shared/feed.ts'
import { tombstone } from '../live/merge.ts'
import { anItem } from '../live/testing.ts'
import { foldsIn, groupHeadline } from './grouping.ts'
import { buildRows, createRowBuilder, indexOfItem, itemsOf, type Row } from './rows.ts'

const ada = { id: 'p-ada', handle: 'ada' }
const none: ReadonlySet<string> = new Set()
const hidden: ReadonlySet<number> = new Set()
const page = (items: FeedItem[]) => ({ items, nextCursor: null, heads: {}, liveCursor: null, followsVersion: 1 })
const person = (id: string) => ({ kind: 'person' as const, id, handle: id, name: id })
const about = { type: 'issue', id: '42', title: '#42' }
const comment = (id: number, who: string, part: Partial<FeedItem> = {}) =>
  anItem({ id, actor: person(who), verb: 'commented', object: about, groupKey: 'issue 42', ...part })
const rowsOf = (items: FeedItem[], open = none) =>
  buildRows({ pages: [page(items)], since: null, reader: ada, open, hidden })
const shown = (rows: Row[]) => rows.flatMap((row) => (row.kind === 'item' ? [row.item.id] : []))
const words = (items: FeedItem[]) =>
  groupHeadline(items, ada)
    .map(({ text }) => text)
    .join(' ')

it('[FEED-4] one thing, close in time, is one row that says how many; other things stay between', () => {
  const items = [comment(9, 'Ben'), anItem({ id: 8 }), comment(7, 'Eve'), comment(6, 'Ben'), comment(5, 'Kim')]
  const rows = rowsOf(items)
  expect(shown(rows)).toEqual([9, 8])
  expect(words([items[0]!, items[2]!, items[3]!, items[4]!])).toBe('Ben and 2 others commented on #42')
  expect(words([comment(2, 'Ben'), comment(1, 'Ben')])).toBe('Ben commented on #42 · 2 times')
  expect(itemsOf(rows[1]).map(({ id }) => id)).toEqual([9, 7, 6, 5])
  expect(indexOfItem(rows, 6)).toBe(1)
})

it('[FEED-4] a fold opens in place, its rows below its head', () => {
  const items = [comment(9, 'Ben'), anItem({ id: 8 }), comment(7, 'Eve')]
  const [id] = foldsIn(items, ada).keys()
  const rows = rowsOf(items, new Set([id!]))
  expect(shown(rows)).toEqual([9, 7, 8])
  expect(rows.flatMap((row) => (row.kind === 'item' ? [row.inner] : []))).toEqual([false, true, false])
  expect(itemsOf(rows[1]).map((item) => item.id)).toEqual([9])
})

it('[FEED-4] what names the reader, has another verb, topic or time is never folded away', () => {
  const items = [
    comment(9, 'Ben'),
    comment(8, 'Eve', { mentions: ['ada'] }),
    comment(7, 'Kim', { verb: 'closed' }),
    comment(6, 'Kim', { topic: { id: 2, name: 'project/t2', visibility: 'public' } }),
    comment(5, 'Kim', { publishedAt: '2026-11-17T10:00:00.000Z' }),
    anItem({ id: 4 }),
  ]
  expect(shown(rowsOf(items))).toEqual([9, 8, 7, 6, 5, 4])
})

it('[FEED-4] whatever has arrived or been loaded, each activity is in one row, and a fold keeps its name', () => {
  const some = fc.record({
    group: fc.constantFrom(null, 'a', 'b'),
    hour: fc.nat({ max: 30 }),
    topicId: fc.integer({ min: 1, max: 2 }),
    named: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 40 }), fc.nat({ max: 40 }), fc.nat({ max: 40 }), (made, from, to) => {
      const all = made
        // Ids follow time.
        .toSorted((a, b) => a.hour - b.hour)
        .map(({ group, hour, topicId, named }, index) =>
          anItem({
            id: index + 1,
            topicId,
            groupKey: group,
            mentions: named ? ['ada'] : [],
            publishedAt: new Date(Date.UTC(2026, 10, 17, hour)).toISOString(),
          }),
        )
        .reverse()
      const part = all.slice(Math.min(from, to), Math.max(from, to))
      for (const items of [all, part]) {
        for (const open of [none, new Set(foldsIn(items, ada).keys())]) {
          const rows = rowsOf(items, open)
          expect(rows.flatMap((row) => itemsOf(row).map(({ id }) => id)).sort((a, b) => a - b)).toEqual(
            items.map(({ id }) => id).sort((a, b) => a - b),
          )
          expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
        }
      }
      const whole = foldsIn(all, ada)
      for (const [id, fold] of foldsIn(part, ada)) expect(whole.get(id)).toEqual(expect.arrayContaining(fold))
    }),
  )
})

it('[FEED-4] [FEED-20] opening builds other rows, and the same state the same ones', () => {
  const build = createRowBuilder()
  const pages = [page([comment(2, 'Ben'), comment(1, 'Eve')])]
  const [id] = foldsIn(pages[0]!.items, ada).keys()
  const closed = build({ pages, since: null, reader: ada, open: none, hidden })
  expect(build({ pages, since: null, reader: ada, open: none, hidden })).toBe(closed)
  const opened = build({ pages, since: null, reader: ada, open: new Set([id!]), hidden })
  expect(shown(opened)).toEqual([2, 1])
  // The head is the same row, so that focus stays on its button.
  expect(opened[1]!.key).toBe(closed[1]!.key)
})

it('[FEED-3] [FEED-4] what is deleted or being deleted leaves a fold, and by itself a tombstone', () => {
  const items = [comment(4, 'a'), comment(3, 'b'), comment(2, 'c'), anItem({ id: 1 })]
  const gone = items.map((item) => (item.id === 3 || item.id === 1 ? tombstone(item, 'author') : item))
  const [fold, alone] = rowsOf(gone).filter((row) => row.kind === 'item')
  expect(fold?.group?.items.map(({ id }) => id)).toEqual([4, 2])
  expect([alone?.item.id, alone?.item.summary]).toEqual([1, ''])
  const input = { pages: [page(items)], since: null, reader: ada, open: none, hidden: new Set([4, 3]) }
  expect(shown(buildRows(input))).toEqual([2, 1])
})
