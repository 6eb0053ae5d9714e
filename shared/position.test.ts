import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparePositions, parsePosition, positionAt, printPosition, streamId } from './position.ts'

const position = fc.record({
  epoch: fc.stringMatching(/^[a-z0-9]{6,20}$/),
  ms: fc.integer({ min: 0, max: 999_999_999_999_999 }),
  n: fc.integer({ min: 0, max: 999_999_999 }),
})

test('[LIVE-1] a position survives being printed and read', () => {
  fc.assert(
    fc.property(position, (at) => {
      expect(parsePosition(printPosition(at))).toEqual({ ok: true, value: at })
      expect(positionAt(at.epoch, streamId(at))).toEqual(at)
    }),
  )
})

test('[LIVE-2] what we did not give out is refused, and the field is named', () => {
  for (const text of ['', '0', '1-1', 'epoch1.1', 'epoch1.1-', 'epoch1.-1-1', 'EPOCH1.1-1', "e'--.1-1", 'epoch1.1-1 '])
    expect(parsePosition(text, 'Last-Event-ID'), text).toMatchObject({ code: 'BAD_POSITION', field: 'Last-Event-ID' })
})

test('[LIVE-2] positions of one log are ordered as Redis orders its ids', () => {
  const sorted = ['9-0', '10-0', '10-2', '10-11', '11-1'].map((id) => positionAt('epoch1', id))
  expect([...sorted].reverse().sort(comparePositions)).toEqual(sorted)
})
