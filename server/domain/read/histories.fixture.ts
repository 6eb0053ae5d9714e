// Random histories of one person's reading, for property tests: two topics, numbers around the seams of segments, follows
// that end and begin again, floors that rise.
import fc from 'fast-check'
import type { Operation } from './person-reads.ts'
import { SEGMENT_BITS, segmentOf } from './segments.ts'

export const TOPICS = [1, 2] as const
export const NUMBERS = [
  1,
  2,
  3,
  4,
  5,
  6,
  9,
  12,
  ...[-3, -2, -1, 0, 1, 2].map((by) => SEGMENT_BITS + by),
  2 * SEGMENT_BITS + 7,
]
const HEAD = NUMBERS.at(-1)!

export type Step =
  | { kind: 'mark'; topic: number; at: number[]; read: boolean }
  | { kind: 'run'; topic: number; length: number }
  | { kind: 'all'; at: (number | null)[] }
  | { kind: 'undo'; back: number }
  | { kind: 'follow' | 'unfollow' | 'leave'; topic: number; start: number }
  | { kind: 'floor'; topic: number; at: number }
  | { kind: 'wait'; ms: number }

const place = fc.nat(NUMBERS.length - 1)
const topic = fc.constantFrom(...TOPICS)

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('mark' as const),
      topic,
      at: fc.array(place, { minLength: 1, maxLength: 6 }),
      read: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      topic,
      length: fc.constantFrom(8, SEGMENT_BITS - 1, SEGMENT_BITS + 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('all' as const), at: fc.tuple(fc.option(place), fc.option(place)) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), back: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('follow', 'unfollow', 'leave'),
      topic,
      start: fc.constantFrom(0, 2, 5, SEGMENT_BITS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('floor' as const), topic, at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 61_000) }) },
)

export type World = {
  now: number
  follows: Map<number, { id: number; start: number }>
  floors: Map<number, number>
  alls: string[]
  made: number
}

export const newWorld = (now: number): World => ({ now, follows: new Map(), floors: new Map(), alls: [], made: 0 })

/** What happens in the world, and what it means for the read state, if anything. */
export function toOperation(world: World, one: Step): Operation | null {
  const id = `operation-${++world.made}`
  const placeOf = (topicId: number) => {
    const follow = world.follows.get(topicId)
    return { topicId, follow: follow?.id ?? 0, start: follow?.start ?? 0, floor: world.floors.get(topicId) ?? 0 }
  }
  const mark = (topicId: number, numbers: number[], read: boolean): Operation => {
    const groups = Map.groupBy(new Set(numbers), segmentOf)
    return {
      kind: 'mark',
      id,
      read,
      groups: [...groups.values()].map((numbers) => ({ ...placeOf(topicId), expiresAt: world.now + 1e9, numbers })),
    }
  }
  switch (one.kind) {
    case 'mark':
      return mark(
        one.topic,
        one.at.map((at) => NUMBERS[at]!),
        one.read,
      )
    case 'run':
      return mark(
        one.topic,
        Array.from({ length: one.length }, (_, i) => i + 1),
        true,
      )
    case 'all': {
      const topics = TOPICS.flatMap((topicId, i) => {
        const at = one.at[i] ?? null
        return at === null || !world.follows.has(topicId) ? [] : [{ ...placeOf(topicId), upTo: NUMBERS[at]! }]
      })
      world.alls.unshift(id)
      return { kind: 'all', id, until: world.now + 60_000, topics }
    }
    case 'undo':
      return { kind: 'undo', id, undo: world.alls[one.back] ?? 'nothing' }
    case 'follow':
      if (!world.follows.has(one.topic)) world.follows.set(one.topic, { id: world.made, start: one.start })
      return null
    case 'unfollow': {
      const follow = world.follows.get(one.topic)
      world.follows.delete(one.topic)
      return follow ? { kind: 'forget', id, topicId: one.topic, follow: follow.id } : null
    }
    case 'leave':
      world.follows.delete(one.topic)
      return null
    case 'floor':
      world.floors.set(one.topic, Math.max(world.floors.get(one.topic) ?? 0, Math.min(NUMBERS[one.at]!, HEAD - 1)))
      return null
    case 'wait':
      world.now += one.ms
      return null
  }
}
