import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeStamp, type ProducerState, parseStamp } from './producer.ts'

const headers = (values: Record<string, string>) => (name: string) => values[name] ?? null

describe('[STR-1] idempotent producers', () => {
  test('whatever is repeated and delayed on the way, each request counts once and in order', () => {
    const steps = fc.array(fc.record({ epoch: fc.nat(2), seq: fc.nat(4) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (sent) => {
        let state: ProducerState | null = null
        const accepted: string[] = []
        for (const { epoch, seq } of sent) {
          const verdict = judgeStamp(state, { id: 'p', epoch, seq })
          if (!('verdict' in verdict) || verdict.verdict !== 'accept') continue
          accepted.push(`${epoch}.${seq}`)
          state = { epoch, seq }
        }
        expect(new Set(accepted).size).toBe(accepted.length)
        expect(accepted).toEqual(accepted.toSorted())
      }),
    )
  })

  test('a duplicate is told the highest number that counts', () => {
    expect(judgeStamp({ epoch: 1, seq: 5 }, { id: 'p', epoch: 1, seq: 2 })).toEqual({ verdict: 'duplicate', seq: 5 })
  })

  test('a gap is told what is expected', () => {
    expect(judgeStamp({ epoch: 1, seq: 5 }, { id: 'p', epoch: 1, seq: 8 })).toMatchObject({
      status: 409,
      headers: { 'Producer-Expected-Seq': '6', 'Producer-Received-Seq': '8' },
    })
    expect(judgeStamp(null, { id: 'p', epoch: 0, seq: 3 })).toMatchObject({ status: 409 })
  })

  test('an old epoch is shut out, a new one starts at zero', () => {
    expect(judgeStamp({ epoch: 3, seq: 0 }, { id: 'p', epoch: 2, seq: 1 })).toMatchObject({
      status: 403,
      headers: { 'Producer-Epoch': '3' },
    })
    expect(judgeStamp({ epoch: 3, seq: 9 }, { id: 'p', epoch: 4, seq: 1 })).toMatchObject({ status: 400 })
    expect(judgeStamp({ epoch: 3, seq: 9 }, { id: 'p', epoch: 4, seq: 0 })).toEqual({ verdict: 'accept' })
  })
})

test('a request without producer headers has no producer', () => {
  expect(parseStamp(headers({}))).toBeNull()
})

test.each([
  { 'Producer-Id': 'a' },
  { 'Producer-Id': 'a', 'Producer-Epoch': '0' },
  { 'Producer-Id': '', 'Producer-Epoch': '0', 'Producer-Seq': '0' },
  { 'Producer-Id': 'a', 'Producer-Epoch': '1.5', 'Producer-Seq': '0' },
  { 'Producer-Id': 'a', 'Producer-Epoch': '0', 'Producer-Seq': '-1' },
  { 'Producer-Id': 'a', 'Producer-Epoch': '0', 'Producer-Seq': '9007199254740992' },
  { 'Producer-Id': 'a'.repeat(257), 'Producer-Epoch': '0', 'Producer-Seq': '0' },
])('[STR-6] %j is refused', (values) => {
  expect(parseStamp(headers(values as Record<string, string>))).toMatchObject({ status: 400 })
})
