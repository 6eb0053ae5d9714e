import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '#shared/clock.ts'
import { Admission } from './admission.ts'

function worldOf(perSecond = 100, burst = 100) {
  let now = 1_000_000
  const admission = new Admission({ perSecond, burst, clock: { now: () => now } })
  return { admission, at: (ms: number) => (now = 1_000_000 + ms) }
}

describe('[LIVE-6] admission', () => {
  test('a burst comes in at once, and what it used up comes back with time', () => {
    const { admission, at } = worldOf(10, 3)
    expect([1, 2, 3, 4].map(() => admission.ask() === 0)).toEqual([true, true, true, false])
    at(100)
    expect(admission.ask()).toBe(0)
    expect(admission.ask()).toBeGreaterThan(0)
  })

  test('each one refused gets a slot of its own, one after the other', () => {
    const { admission } = worldOf(100, 1)
    admission.ask()
    const waits = Array.from({ length: 50 }, () => admission.ask())
    for (let i = 1; i < waits.length; i++) expect(waits[i]! - waits[i - 1]!).toBeCloseTo(1_000 / 90)
  })

  test('never more than the burst and the rate, whoever comes when', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 400 }), (gaps) => {
        const { admission, at } = worldOf(20, 5)
        let ms = 0
        const admitted: number[] = []
        for (const gap of gaps) {
          ms += gap
          at(ms)
          if (admission.ask() === 0) admitted.push(ms)
        }
        for (let i = 0; i < admitted.length; i++)
          for (let j = i; j < admitted.length; j++)
            expect(j - i + 1).toBeLessThanOrEqual(5 + (admitted[j]! - admitted[i]!) * 0.02 + 1e-6)
      }),
      { numRuns: 50 },
    )
  })

  test('a herd of 10,000 that obeys whole seconds of Retry-After needs about two tries each, none four', () => {
    const { admission, at } = worldOf()
    const random = seededRandom(6)
    const tries = new Array<number>(10_000).fill(0)
    let arrivals = tries.map((_, client) => ({ client, ms: random() * 500 }))
    while (arrivals.length > 0) {
      arrivals.sort((a, b) => a.ms - b.ms)
      const next: typeof arrivals = []
      for (const { client, ms } of arrivals.splice(0, 50)) {
        at(ms)
        tries[client]! += 1
        const wait = admission.ask()
        if (wait > 0) next.push({ client, ms: ms + Math.ceil(wait / 1_000) * 1_000 + random() * 200 })
      }
      arrivals = [...next, ...arrivals]
    }
    const total = tries.reduce((sum, count) => sum + count, 0)
    expect(total / tries.length).toBeLessThan(2.1)
    expect(Math.max(...tries)).toBeLessThan(4)
  })
})
