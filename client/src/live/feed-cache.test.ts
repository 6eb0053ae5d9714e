import { expect, it } from 'vitest'
import type { ActivityChange } from '#shared/activity-change.ts'
import { feedKey, type HeardChange, itemKey } from './feed-cache.ts'
import { type FeedData, FIRST_PAGE, goneOf } from './merge.ts'
import { anItem } from './testing.ts'
import { KEY, openTestTab, pageOf } from './testing-tab.ts'

const OTHER = feedKey({ filter: 'unread' })

const gone = (id: number): HeardChange => ({
  ...{ topic: 1, seq: 100 + id },
  change: { kind: 'activity', activity: id, no: id, version: 1, words: null, gone: 'author', rang: [] },
})
const words = (id: number, version: number): HeardChange => {
  const change: ActivityChange = {
    ...{ kind: 'activity', activity: id, no: id, version, gone: null },
    words: { summary: `version ${version}`, mentions: [], edited: { version, at: '', by: null } },
  }
  return { topic: 1, seq: 100 + version, change }
}

function setUp() {
  const tab = openTestTab()
  const items = [3, 2, 1].map((id) => anItem({ id }))
  const data = (): FeedData => ({ pages: [pageOf(items, { 1: 3 })], pageParams: [FIRST_PAGE] })
  for (const key of [KEY, OTHER]) tab.queryClient.setQueryData(key, data())
  tab.queryClient.setQueryData(itemKey(2), items[1])
  const list = (key: readonly unknown[]) => tab.queryClient.getQueryData<FeedData>(key)!.pages[0]!
  const shown = (key: readonly unknown[]) => list(key).items.map((item) => [item.id, goneOf(item) ?? item.summary])
  return { ...tab, list, shown }
}

it('[FEED-3] what others delete leaves a tombstone on the list that is read until it is out of sight, and goes elsewhere', () => {
  const { cache, shown, queryClient } = setUp()
  const leave = cache.read(KEY, () => true)
  cache.change([gone(2)])
  const rest = [
    [3, 'Text 3'],
    [1, 'Text 1'],
  ]
  expect(shown(KEY)).toEqual([rest[0], [2, 'author'], rest[1]])
  expect(shown(OTHER)).toEqual(rest)
  expect(queryClient.getQueryData(itemKey(2))).toMatchObject({ gone: 'author', summary: '' })
  cache.dropGone(KEY, new Set([2]))
  expect(shown(KEY)).toHaveLength(3)
  cache.dropGone(KEY, new Set([3]))
  expect(shown(KEY)).toEqual(rest)
  cache.change([gone(1)])
  leave()
  expect(shown(KEY)).toEqual([rest[0]])
})

it('[FEED-15] what one deletes oneself leaves nothing, also when its event was first', () => {
  const { cache, shown } = setUp()
  cache.read(KEY, () => true)
  cache.change([gone(2)])
  cache.change([{ ...gone(2), seq: null }], true)
  expect(shown(KEY).map(([id]) => id)).toEqual([3, 1])
})

it('[FEED-3] edits and deletions may come in any order, twice, and before the activity itself', async () => {
  const { cache, shown, list, settle } = setUp()
  cache.change([words(2, 2), words(2, 1), words(2, 2)])
  expect(shown(OTHER)[1]).toEqual([2, 'version 2'])
  cache.change([gone(5), words(5, 3), words(4, 1)])
  cache.read(KEY, () => true)
  cache.offer([anItem({ id: 5 }), anItem({ id: 4 })])
  await settle()
  expect(list(KEY).held?.map(({ id, summary }) => [id, summary])).toEqual([[4, 'version 1']])
  cache.change([gone(4)])
  expect(list(KEY).held).toEqual([])
  expect(cache.recentList()).toEqual([])
})

it('[READ-5] a deletion counts for what it was: unread, read or unknown', () => {
  const { cache, uncounted } = setUp()
  cache.change([gone(3), gone(3)])
  expect(cache.deletions()).toEqual([{ topic: 1, no: 3, seq: 103, unread: true, mentions: false }])
  expect(uncounted()).toBe(0)
  cache.change([gone(77)])
  expect([cache.deletions().length, uncounted()]).toEqual([1, 1])
  // The answer to one's own call does not know its place; its event does.
  cache.change([{ ...gone(2), seq: null }], true)
  cache.change([gone(2)])
  expect(cache.deletions().at(-1)).toMatchObject({ no: 2, seq: 102 })
})
