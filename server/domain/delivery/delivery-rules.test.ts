import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { backoffMs, decide } from './decide.ts'
import {
  AnswerFailure,
  classify,
  FAILURE_CLASSES,
  type FailureClass,
  PermanentFailure,
  RETRY_CONFIGS,
} from './failure.ts'
import {
  admits,
  BREAKER_FAILURES,
  BREAKER_REST_MAX_MS,
  CLOSED_BREAKER,
  failed,
  type HandlerBreaker,
  heldForMs,
  succeeded,
} from './handler-breaker.ts'
import { toRanges } from './ranges.ts'

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code })
const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('[DLV-4] classes of failure', () => {
  it.each([
    ['transient', coded('ECONNRESET')],
    ['transient', coded('ETIMEDOUT')],
    ['transient', coded('ENOTFOUND')],
    ['transient', new AnswerFailure(408, '')],
    ['transient', new AnswerFailure(425, '')],
    ['transient', new AnswerFailure(429, '')],
    ['transient', new AnswerFailure(500, '')],
    ['transient', new AnswerFailure(599, '')],
    ['transient', new Error('validation failed: permanent 422')],
    ['transient', 'a text that somebody threw'],
    ['client_crash', coded('ECONNREFUSED')],
    ['client_crash', new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') })],
    ['permanent', new AnswerFailure(400, '')],
    ['permanent', new AnswerFailure(410, '')],
    ['permanent', new AnswerFailure(302, '')],
    ['permanent', new PermanentFailure('no')],
    ['permanent', new Error('wrapped', { cause: new z.ZodError([]) })],
  ])('%s: %s', (expected, error) => {
    expect(classify(error)).toBe(expected)
  })

  it('words in a message decide nothing', () => {
    fc.assert(
      fc.property(fc.string(), (message) => {
        expect(classify(new Error(message))).toBe('transient')
      }),
    )
  })

  it('a circle of causes ends', () => {
    const error = new Error('a')
    error.cause = error
    expect(classify(error)).toBe('transient')
  })
})

describe('[DLV-4] the schedule', () => {
  it('has the agreed numbers', () => {
    expect(RETRY_CONFIGS.transient).toEqual({ deliveries: 5, baseMs: 1_000, factor: 2, capMs: 30_000 })
    expect(RETRY_CONFIGS.client_crash).toEqual({ deliveries: 10, baseMs: 2_000, factor: 1.5, capMs: 60_000 })
    expect([1, 2, 3, 4, 5, 6, 7].map((failures) => backoffMs('transient', failures, 0.5))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ])
  })

  it('jitter goes both ways, up to 30 %', () => {
    expect(backoffMs('transient', 1, 0)).toBe(700)
    expect(backoffMs('transient', 1, 0.999_999)).toBe(1_300)
    fc.assert(
      fc.property(
        fc.constantFrom(...FAILURE_CLASSES),
        fc.integer({ min: 1, max: 50 }),
        roll,
        (type, failures, dice) => {
          const { baseMs, factor, capMs } = RETRY_CONFIGS[type]
          const middle = Math.min(baseMs * factor ** (failures - 1), capMs)
          const wait = backoffMs(type, failures, dice)
          expect(wait).toBeGreaterThanOrEqual(Math.floor(middle * 0.7))
          expect(wait).toBeLessThanOrEqual(Math.ceil(middle * 1.3))
        },
      ),
    )
  })

  it('work that always fails dies after exactly its deliveries, and never while it is held', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FAILURE_CLASSES),
        fc.array(fc.boolean(), { maxLength: 60 }),
        roll,
        (type, held, dice) => {
          let attempts = 0
          for (const isHeld of [...held, ...Array.from({ length: 10 }, () => false)]) {
            const decision = decide({
              class: type,
              attempts,
              heldForMs: isHeld ? 500 : null,
              alive: true,
              askedToWaitMs: null,
              roll: dice,
            })
            if (type === 'permanent') {
              expect(decision).toEqual({ do: 'dead', attempts: 1 })
              return
            }
            if (isHeld) {
              expect(decision).toEqual({ do: 'hold', waitMs: 500 })
              continue
            }
            if (decision.do === 'dead') {
              expect(decision.attempts).toBe(RETRY_CONFIGS[type].deliveries)
              return
            }
            if (decision.do === 'retry') attempts = decision.attempts
          }
          throw new Error('it lives for ever')
        },
      ),
    )
  })

  it('the last try waits for a sign of life from the dependency; what is refused for good does not', () => {
    const last = (alive: boolean, type: FailureClass = 'transient') =>
      decide({ class: type, attempts: 9, heldForMs: null, alive, askedToWaitMs: null, roll: 0.5 })
    expect(last(true)).toEqual({ do: 'dead', attempts: 10 })
    expect(last(false)).toEqual({ do: 'hold', waitMs: 30_000 })
    expect(last(false, 'permanent')).toEqual({ do: 'dead', attempts: 10 })
  })

  it('a wait that was asked for is kept, up to a bound', () => {
    const asked = (askedToWaitMs: number) =>
      decide({ class: 'transient', attempts: 0, heldForMs: null, alive: true, askedToWaitMs, roll: 0.5 })
    expect(asked(60_000)).toEqual({ do: 'retry', attempts: 1, waitMs: 60_000 })
    expect(asked(1e12)).toEqual({ do: 'retry', attempts: 1, waitMs: 600_000 })
  })
})

describe('[DLV-4] the breaker of a handler', () => {
  const names = Array.from({ length: BREAKER_FAILURES }, (_, i) => `1:${i}`)
  const broken = names.reduce<HandlerBreaker>((state, name) => failed(state, name, 0, 0.5), CLOSED_BREAKER)

  it('opens when several different pieces fail in a row, not when one does again and again', () => {
    expect(broken.phase).toBe('open')
    let state = CLOSED_BREAKER
    for (let i = 0; i < 100; i++) state = failed(state, '1:1', i, 0.5)
    expect(state.phase).toBe('closed')
  })

  it('a success in between starts the count over', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: BREAKER_FAILURES - 2 }), { maxLength: 200 }), (works) => {
        let state = CLOSED_BREAKER
        works.forEach((work, i) => {
          state = i % BREAKER_FAILURES === 0 ? succeeded(state) : failed(state, `1:${work}`, i, 0.5)
          expect(state.phase).toBe('closed')
        })
      }),
    )
  })

  it('rests, lets one through, and rests longer when that fails; never longer than its cap', () => {
    expect(admits(broken, 100, 50, 1_000)).toEqual({ state: broken, count: 0 })
    let state = broken
    let now = 0
    for (let i = 0; i < 20; i++) {
      now += heldForMs(state, now) ?? 0
      const probe = admits(state, now, 50, 60_000)
      expect(probe.count).toBe(1)
      expect(admits(probe.state, now + 1, 50, 60_000).count).toBe(0)
      state = failed(probe.state, '1:9', now, 0.999)
      expect(heldForMs(state, now)).toBeLessThanOrEqual(BREAKER_REST_MAX_MS * 1.3)
    }
    expect(succeeded(state)).toBe(CLOSED_BREAKER)
  })

  it('a probe that never reports does not block it for ever', () => {
    const { state } = admits(broken, 10_000, 5, 1_000)
    expect(admits(state, 10_999, 5, 1_000).count).toBe(0)
    expect(admits(state, 11_000, 5, 1_000).count).toBe(1)
  })
})

it('[DLV-3] finished places become ranges that hold exactly them', () => {
  const place = fc.record({ topicId: fc.integer({ min: 1, max: 3 }), seq: fc.integer({ min: 1, max: 40 }) })
  fc.assert(
    fc.property(fc.array(place, { maxLength: 80 }), (places) => {
      const ranges = toRanges(places)
      const held = ranges.flatMap(({ topicId, from, to }) =>
        Array.from({ length: to - from + 1 }, (_, i) => `${topicId}:${from + i}`),
      )
      expect(held.sort()).toEqual([...new Set(places.map(({ topicId, seq }) => `${topicId}:${seq}`))].sort())
    }),
  )
})
