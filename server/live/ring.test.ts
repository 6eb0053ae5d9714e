import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Framed, Ring } from './ring.ts'

const EPOCH = 'epoch1'
const entry = (ms: number, topicId: number, bytes = 100): Framed => ({
  position: { epoch: EPOCH, ms, n: 0 },
  topicId,
  kind: 'activity',
  data: String(ms),
  frame: Buffer.alloc(bytes),
})
const at = (ms: number) => ({ epoch: EPOCH, ms, n: 0 })

test('[LIVE-2] replay costs and gives the topics asked for, in the order of the log', () => {
  const ring = new Ring(1_000_000)
  for (let ms = 1; ms <= 9; ms++) ring.push(entry(ms, ms % 3))
  expect(ring.after(at(2), [0, 1]).map(({ data }) => data)).toEqual(['3', '4', '6', '7', '9'])
  expect(ring.after(null, [2]).map(({ data }) => data)).toEqual(['2', '5', '8'])
  expect(ring.after(at(9), [0, 1, 2])).toEqual([])
  expect(ring.after(at(0), [77])).toEqual([])
})

test('[LIVE-2] whatever it claims to hold it holds, and its bytes stay bounded', () => {
  const pushes = fc.array(
    fc.record({ topic: fc.integer({ min: 1, max: 4 }), bytes: fc.integer({ min: 1, max: 900 }) }),
    {
      minLength: 1,
      maxLength: 120,
    },
  )
  fc.assert(
    fc.property(pushes, (list) => {
      const ring = new Ring(4_000)
      const all = list.map(({ topic, bytes }, index) => entry(index + 1, topic, bytes))
      for (const one of all) ring.push(one)
      const held = ring.after(null, [1, 2, 3, 4])
      expect(held.reduce((sum, { frame }) => sum + frame.length, 0)).toBeLessThanOrEqual(4_000)
      expect(held.at(-1)).toBe(all.at(-1))
      for (let ms = 0; ms <= all.length; ms++)
        if (ring.holdsAllAfter(at(ms))) expect(ring.after(at(ms), [1, 2, 3, 4])).toEqual(all.slice(ms))
    }),
  )
})

test('[LIVE-2] a ring that begins in the middle of the log says so', () => {
  const ring = new Ring(1_000)
  ring.reset(at(50))
  ring.push(entry(60, 1))
  expect(ring.holdsAllAfter(at(50))).toBe(true)
  expect(ring.holdsAllAfter(at(49))).toBe(false)
})
