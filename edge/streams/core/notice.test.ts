import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Appended, meaningFor } from './notice.ts'

test('[STR-4] whatever notices are lost, repeated or late, a reader has every byte once and in order', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 })
  const picks = fc.array(fc.nat(19), { maxLength: 60 })
  fc.assert(
    fc.property(lengths, picks, (sizes, order) => {
      const stream = sizes.map((size, at) => String.fromCharCode(97 + at).repeat(size)).join('')
      const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0))
      const notices = sizes.map((size, at): Appended => {
        const to = ends[at]!
        return { type: 'appended', from: to - size, to, closed: false, text: stream.slice(to - size, to) }
      })
      let seen = ''
      for (const pick of order) {
        const notice = notices[pick % notices.length]!
        const meaning = meaningFor(seen.length, notice)
        if (meaning.do === 'write') seen += meaning.text
        // A read gives everything up to the end as it is then; the notice proves that it reaches at least `to`.
        if (meaning.do === 'read') seen = stream.slice(0, notice.to)
      }
      expect(stream.startsWith(seen)).toBe(true)
      expect(seen.length).toBe(Math.max(0, ...order.map((pick) => ends[pick % ends.length]!)))
    }),
  )
})

test('[STR-4] the end is heard also by who has everything', () => {
  const end: Appended = { type: 'appended', from: 5, to: 5, closed: true }
  expect(meaningFor(5, end)).toEqual({ do: 'read' })
  expect(meaningFor(6, end)).toEqual({ do: 'nothing' })
})
