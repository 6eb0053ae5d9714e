import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeDelivery, type SourceCursor } from './delivery.ts'

test('[SUB-4] lost, repeated, late and overtaken messages: the copy is the source, in order and once', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 15 })
  const order = fc.array(fc.record({ pick: fc.nat(14), carried: fc.boolean() }), { maxLength: 50 })
  fc.assert(
    fc.property(sizes, order, fc.nat(5), (lengths, sent, skipped) => {
      const ends = lengths.map((_, at) => lengths.slice(0, at + 1).reduce((sum, length) => sum + length, 0))
      const source = Array.from({ length: ends.at(-1)! }, (_, at) => at)
      const start = Math.min(skipped, source.length)
      const cursor: SourceCursor = { generation: 1, incarnation: 'a', at: start }
      const copy: number[] = []
      for (const { pick, carried } of sent) {
        const index = pick % ends.length
        const offset = ends[index]!
        const prevOffset = carried ? offset - lengths[index]! : null
        const step = judgeDelivery(cursor, { source: 's', incarnation: 'a', generation: 1, prevOffset, offset })
        if (step.do === 'nothing' || step.do === 'ask') continue
        copy.push(...source.slice(step.do === 'append' ? prevOffset! : step.from, offset))
        cursor.at = offset
      }
      expect(copy).toEqual(source.slice(start, start + copy.length))
      const furthest = Math.max(start, ...sent.map(({ pick }) => ends[pick % ends.length]!))
      expect(start + copy.length).toBe(furthest)
    }),
  )
})

test('[SUB-6] what was meant for an earlier generation, or for a source that was left, is stale', () => {
  const hint = { source: 's', incarnation: 'a', generation: 1, prevOffset: 0, offset: 5 }
  expect(judgeDelivery({ generation: 2, incarnation: 'a', at: 0 }, hint)).toEqual({ do: 'nothing', result: 'stale' })
  expect(judgeDelivery(null, hint)).toEqual({ do: 'nothing', result: 'stale' })
})

test('[SUB-4] an offset of a source that was deleted and made anew is never compared with one from before', () => {
  const hint = { source: 's', incarnation: 'b', generation: 1, prevOffset: 0, offset: 5 }
  expect(judgeDelivery({ generation: 1, incarnation: 'a', at: 500 }, hint)).toEqual({ do: 'ask' })
  expect(judgeDelivery({ generation: 2, incarnation: 'a', at: 500 }, hint)).toMatchObject({ result: 'stale' })
})
