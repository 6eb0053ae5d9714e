import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ask, type Breaker, CLOSED, record } from './breaker.ts'

const bad = { successes: 3, failures: 1 }
const dead = { successes: 0, failures: 4 }
const good = { successes: 4, failures: 0 }
const times = (count: number, start: Breaker = CLOSED) =>
  Array.from({ length: count }).reduce<Breaker>((breaker) => record(breaker, bad, 1_000), start)

describe('[SUB-5] the breaker of fan-out', () => {
  test('opens after five batches in a row with failures, for a minute', () => {
    expect(times(4)).toEqual({ phase: 'closed', failedBatches: 4 })
    expect(times(5)).toEqual({ phase: 'open', untilMs: 61_000 })
    expect(record(times(4), good, 1_000)).toEqual(CLOSED)
  })

  test('then lets one attempt through: any success closes, only failures open again', () => {
    expect(ask(times(5), 60_999).admitted).toBe(false)
    const probe = ask(times(5), 61_000)
    expect(probe.admitted).toBe(true)
    expect(ask(probe.breaker, 61_001).admitted).toBe(false)
    expect(record(probe.breaker, bad, 62_000)).toEqual(CLOSED)
    expect(record(probe.breaker, dead, 62_000)).toEqual({ phase: 'open', untilMs: 122_000 })
  })

  test('whatever happens, an attempt is admitted again after a minute', () => {
    const results = fc.array(fc.constantFrom(bad, dead, good), { maxLength: 30 })
    fc.assert(
      fc.property(results, (outcomes) => {
        let breaker: Breaker = CLOSED
        let now = 0
        for (const outcome of outcomes) {
          const asked = ask(breaker, now)
          breaker = asked.admitted ? record(asked.breaker, outcome, now) : asked.breaker
          now += 7_000
        }
        expect(ask(breaker, now + 60_000).admitted).toBe(true)
      }),
    )
  })
})
