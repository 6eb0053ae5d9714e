import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NUMBERS, newWorld, step, TOPICS, toOperation, type World } from './histories.fixture.ts'
import { fromKept, toKept } from './kept.ts'
import { NaiveReads } from './naive-reads.fixture.ts'
import { pack, unpack } from './packed.ts'
import { applyOperation, emptyReads, type PersonReads } from './person-reads.ts'
import { segmentOf } from './segments.ts'
import { countUnread, isRead, sizeOf, unreadRanges, viewOf } from './unread.ts'

const HEAD = NUMBERS.at(-1)!
const OWN = [3, 4_096]
const DELETED = [2, 3, 9, 4_095]

function check(reads: PersonReads, naive: NaiveReads, { follows, floors }: World): void {
  for (const topicId of TOPICS) {
    const follow = follows.get(topicId) ?? null
    const floor = floors.get(topicId) ?? 0
    const view = viewOf(reads, topicId, follow)
    const unread = naive.unread(topicId, follow, { floor, head: HEAD })
    expect(NUMBERS.filter((no) => no > floor && !isRead(view, no))).toEqual(unread.filter((no) => NUMBERS.includes(no)))
    const skipped = { own: OWN, deleted: DELETED }
    const expected = unread.filter((no) => !OWN.includes(no) && !DELETED.includes(no))
    expect(countUnread(view, { floor, head: HEAD }, skipped)).toBe(expected.length)
    const ranges = unreadRanges(view, { floor, head: HEAD }, skipped)
    expect(sizeOf(ranges)).toBe(expected.length)
    expect([ranges[0]?.[0], ranges.at(-1)?.[1]]).toEqual([expected[0], expected.at(-1)])
  }
}

describe('what a person has read', () => {
  it('[READ-5] flags, counts and ranges are those of a naive replay, over thousands of histories', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const [reads, naive, world] = [emptyReads(), new NaiveReads(), newWorld(1e12)]
        for (const one of steps) {
          const operation = toOperation(world, one)
          if (operation && applyOperation(reads, operation, world.now)) naive.apply(operation)
        }
        check(reads, naive, world)
      }),
      { numRuns: 3_000 },
    )
  }, 120_000)

  it('[READ-6] written and read again, for Redis and for Postgres, it is the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const [reads, world] = [emptyReads(), newWorld(1e12)]
        for (const one of steps) {
          const operation = toOperation(world, one)
          if (operation) applyOperation(reads, operation, world.now)
        }
        const { packed, segments } = pack(reads, 7)
        expect(toKept(unpack(packed, segments))).toEqual(toKept(reads))
        expect(toKept(fromKept(JSON.parse(JSON.stringify(toKept(reads))), reads))).toEqual(toKept(reads))
      }),
      { numRuns: 500 },
    )
  }, 60_000)

  it('[READ-1] runs next to the watermark become part of it and leave no segment', () => {
    const reads = emptyReads()
    const place = { topicId: 1, follow: 1, start: 0, floor: 0, expiresAt: 0 }
    const all = Array.from({ length: 5_000 }, (_, i) => 5_000 - i)
    const groups = [...Map.groupBy(all, segmentOf).values()].map((numbers) => ({ ...place, numbers }))
    applyOperation(reads, { kind: 'mark', id: 'a', read: true, groups }, 0)
    expect(reads.topics.get(1)).toMatchObject({ watermark: 5_000 })
    expect([...reads.topics.get(1)!.segments.keys()]).toEqual([1])
    applyOperation(reads, { kind: 'mark', id: 'b', read: false, groups: [{ ...place, numbers: [17] }] }, 0)
    expect([...reads.unread.get(1)!]).toEqual([17])
  })
})
