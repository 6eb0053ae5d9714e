import { expect, it } from 'vitest'
import type { UnreadCounts } from '#shared/live-events.ts'
import { anItem } from './testing.ts'
import { countsAfterMarks, currentCounts, newerCounts } from './unread.ts'

const ada = { id: 'p-ada', handle: 'ada' }
const base: UnreadCounts = {
  total: 5,
  mentions: 1,
  topics: { 1: 5 },
  heads: { 1: 10, 2: 4 },
  deletions: {},
  version: 3,
}
const none = new Set<number>()

it('[LIVE-3] later activities are added to counts that say what they are as of', () => {
  const later = [
    anItem({ id: 1, no: 10 }),
    anItem({ id: 2, no: 11 }),
    anItem({ id: 3, no: 5, topicId: 2, mentions: ['ada'] }),
  ]
  expect(currentCounts(base, later, [], ada, none)).toEqual({ ...base, total: 7, mentions: 2, topics: { 1: 6, 2: 1 } })
})

it('[LIVE-3] own, already read and unknown topics add nothing; muted ones not to the total', () => {
  const own = anItem({ id: 1, no: 11, actor: { kind: 'person', id: 'p-ada', handle: 'ada', name: 'Ada' } })
  expect(
    currentCounts(base, [own, anItem({ id: 2, no: 12, read: true }), anItem({ id: 3, topicId: 9 })], [], ada, none),
  ).toBe(base)
  const muted = currentCounts(base, [anItem({ id: 4, no: 11 })], [], ada, new Set([1]))
  expect([muted.total, muted.topics[1]]).toEqual([5, 6])
})

it('[FEED-15] counts follow marks at once, and never below zero', () => {
  const items = [anItem({ id: 1, no: 9 }), anItem({ id: 2, no: 10, mentions: ['ada'] }), anItem({ id: 3, no: 11 })]
  expect(countsAfterMarks(base, items, true, ada, none)).toMatchObject({ total: 3, mentions: 0, topics: { 1: 3 } })
  const empty = { ...base, total: 0, mentions: 0, topics: {} }
  expect(countsAfterMarks(empty, items, true, ada, none)).toMatchObject({ total: 0, mentions: 0 })
})

it('[LIVE-1] older counts never overwrite newer ones', () => {
  expect(newerCounts(base, { ...base, version: 2, total: 0 })).toBe(base)
  expect(newerCounts(base, { ...base, version: 4, total: 0 }).total).toBe(0)
})

it('[FEED-3] [READ-5] what was deleted is taken off counts that do not know of it yet, once', () => {
  const gone = { topic: 1, no: 9, seq: 30, unread: true, mentions: true }
  expect(currentCounts(base, [], [gone], ada, none)).toMatchObject({ total: 4, mentions: 0, topics: { 1: 4 } })
  for (const other of [
    { ...gone, unread: false },
    { ...gone, no: 11 },
    { ...gone, topic: 2 },
  ])
    expect(currentCounts(base, [], [other], ada, none)).toBe(base)
  expect(currentCounts({ ...base, deletions: { 1: 30 } }, [], [gone], ada, none).total).toBe(5)
  expect(currentCounts(base, [], [gone], ada, new Set([1]))).toMatchObject({ total: 5, topics: { 1: 4 } })
})
