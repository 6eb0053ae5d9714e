import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BreakerSignal,
  type BreakerStep,
  type CircuitBreaker,
  CLOSED,
  FAILURE_THRESHOLD,
  HALF_OPEN_MAX_REQUESTS,
  nextTryAt,
  OPEN_MAX_MS,
  openForMs,
  stepBreaker,
} from './circuit-breaker.ts'

const NOW = 1_000_000
type Phase = CircuitBreaker['phase']
type Of<P extends Phase> = Extract<CircuitBreaker, { phase: P }>

const signals: { [T in BreakerSignal['type']]: Extract<BreakerSignal, { type: T }> } = {
  ask: { type: 'ask', now: NOW },
  success: { type: 'success' },
  failure: { type: 'failure', now: NOW, roll: 0 },
  'told-to-wait': { type: 'told-to-wait', until: NOW + 7_000 },
}

const states: { [P in Phase]: Of<P> } = {
  closed: { phase: 'closed', failures: 1, notBefore: 0 },
  open: { phase: 'open', openings: 2, until: NOW + 5_000 },
  'half-open': { phase: 'half-open', openings: 2, probes: 2, failed: 1, notBefore: 0 },
}

// Every phase × every signal; a missing cell does not compile.
const table: { [P in Phase]: { [T in BreakerSignal['type']]: BreakerStep } } = {
  closed: {
    ask: { state: states.closed, effects: [{ do: 'admit' }] },
    success: { state: CLOSED, effects: [] },
    failure: { state: { phase: 'closed', failures: 2, notBefore: 0 }, effects: [] },
    'told-to-wait': { state: { phase: 'closed', failures: 1, notBefore: NOW + 7_000 }, effects: [] },
  },
  open: {
    ask: { state: states.open, effects: [{ do: 'refuse', until: NOW + 5_000 }] },
    success: { state: CLOSED, effects: [] },
    failure: { state: states.open, effects: [] },
    'told-to-wait': { state: { phase: 'open', openings: 2, until: NOW + 7_000 }, effects: [] },
  },
  'half-open': {
    ask: {
      state: { phase: 'half-open', openings: 2, probes: 3, failed: 1, notBefore: 0 },
      effects: [{ do: 'admit' }],
    },
    success: { state: CLOSED, effects: [] },
    failure: { state: { phase: 'half-open', openings: 2, probes: 2, failed: 2, notBefore: 0 }, effects: [] },
    'told-to-wait': {
      state: { phase: 'half-open', openings: 2, probes: 1, failed: 1, notBefore: NOW + 7_000 },
      effects: [],
    },
  },
}

describe('circuit breaker', () => {
  for (const [phase, row] of Object.entries(table) as [Phase, (typeof table)[Phase]][])
    for (const [type, expected] of Object.entries(row) as [BreakerSignal['type'], BreakerStep][])
      it(`[LIVE-9] ${phase} × ${type}`, () => {
        expect(stepBreaker(states[phase], signals[type])).toEqual(expected)
      })

  it('[LIVE-9] opens at the third failure in a row, for 60 s and up to half as much again', () => {
    let state = CLOSED
    for (let count = 1; count < FAILURE_THRESHOLD; count++) state = stepBreaker(state, signals.failure).state
    expect(state.phase).toBe('closed')
    expect(stepBreaker(state, signals.failure).state).toEqual({ phase: 'open', openings: 1, until: NOW + 60_000 })
    const late = stepBreaker(state, { type: 'failure', now: NOW, roll: 0.999 }).state
    expect(nextTryAt(late)).toBe(NOW + 89_970)
  })

  it('[LIVE-9] a success between failures starts the count over', () => {
    let state = CLOSED
    for (const type of ['failure', 'failure', 'success', 'failure', 'failure'] as const)
      state = stepBreaker(state, signals[type]).state
    expect(state).toEqual({ phase: 'closed', failures: 2, notBefore: 0 })
  })

  it('[LIVE-9] admits the first try once the rest is over, and reopens for twice as long after 3 failed probes', () => {
    let state: CircuitBreaker = { phase: 'open', openings: 1, until: NOW }
    for (let probe = 0; probe < 3; probe++) {
      const asked = stepBreaker(state, { type: 'ask', now: NOW })
      expect(asked.effects).toEqual([{ do: 'admit' }])
      state = stepBreaker(asked.state, signals.failure).state
    }
    expect(state).toEqual({ phase: 'open', openings: 2, until: NOW + 120_000 })
  })

  it('[LIVE-9] half-open admits at most five probes at a time', () => {
    let state: CircuitBreaker = { phase: 'open', openings: 1, until: NOW }
    for (let probe = 0; probe < HALF_OPEN_MAX_REQUESTS; probe++) state = stepBreaker(state, signals.ask).state
    expect(stepBreaker(state, signals.ask).effects).toEqual([{ do: 'refuse', until: null }])
  })

  it('[LIVE-9] the rest doubles up to ten minutes', () => {
    expect([1, 2, 3, 4, 5, 9].map((openings) => openForMs(openings, 0))).toEqual([
      60_000,
      120_000,
      240_000,
      480_000,
      OPEN_MAX_MS,
      OPEN_MAX_MS,
    ])
  })

  it('[LIVE-9] however often it is told to wait, that alone never opens it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 50 }), (waits) => {
        let state = CLOSED
        for (const ms of waits) state = stepBreaker(state, { type: 'told-to-wait', until: NOW + ms }).state
        expect(state.phase).toBe('closed')
        expect(stepBreaker(state, { type: 'ask', now: NOW + 60_000 }).effects).toEqual([{ do: 'admit' }])
      }),
    )
  })
})
