import { describe, expect, it } from 'vitest'
import type { TopicChange } from '#shared/live-events.ts'
import { BATCH_CHARS, BATCH_EVENTS, batchLength, withdraws } from './edge-batches.ts'

const events = (count: number, chars = 10) =>
  Array.from({ length: count }, () => ({ body: 'x'.repeat(chars), withdraws: false }))

describe('what travels to the edge together', () => {
  it('[DLV-3] as many as fit by number and by size, and at least one', () => {
    expect(batchLength(events(3))).toBe(3)
    expect(batchLength(events(BATCH_EVENTS + 5))).toBe(BATCH_EVENTS)
    expect(batchLength(events(5, BATCH_CHARS / 2))).toBe(2)
    expect(batchLength(events(2, BATCH_CHARS * 2))).toBe(1)
  })

  it('[FEED-2] an event that takes rights away is the first of its batch', () => {
    const some = events(5)
    some[2]!.withdraws = true
    some[3]!.withdraws = true
    expect([batchLength(some), batchLength(some.slice(2)), batchLength(some.slice(3))]).toEqual([2, 1, 2])
  })

  it('[FEED-2] somebody removed and a topic turned private take rights away, nothing else does', () => {
    const person = { id: 'p', handle: 'p', name: 'P' }
    const settings = { kind: 'settings', description: '', posting: 'everyone' } as const
    const judged = (change: TopicChange) => withdraws({ kind: 'update', event: { topic: 1, seq: 1, change } })
    expect(judged({ kind: 'member', person, state: 'removed' })).toBe(true)
    expect(judged({ ...settings, visibility: 'private' })).toBe(true)
    expect(judged({ kind: 'member', person, state: 'member' })).toBe(false)
    expect(judged({ ...settings, visibility: 'public' })).toBe(false)
  })
})
