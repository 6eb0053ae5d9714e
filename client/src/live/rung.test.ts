import { describe, expect, it } from 'vitest'
import { CLOSED } from '#shared/circuit-breaker.ts'
import { IDLE } from '#shared/polling-schedule.ts'
import { NEW_LADDER } from './ladder-state.ts'
import {
  ABSENT,
  type Link,
  NEW_RUNG,
  RECONNECT_CONFIG,
  type Rung,
  type RungSignal,
  type RungStep,
  reconnectMs,
  stepRung,
} from './rung.ts'

const NOW = 100_000
const with_ = (link: Link, part: Partial<Rung> = {}): Rung => ({ ...NEW_RUNG, link, ...part })

const rungs: { [P in Link['phase']]: Rung } = {
  absent: with_(ABSENT),
  down: with_({ phase: 'down', retryAt: NOW }),
  opening: with_({ phase: 'opening', since: NOW - 10 }),
  up: with_(
    { phase: 'up', since: NOW - 20, heardAt: NOW - 10, beatAt: NOW - 15 },
    { attempts: 2, trouble: { kind: 'closed' } },
  ),
}
const signals: { [T in RungSignal['type']]: Extract<RungSignal, { type: T }> } = {
  due: { type: 'due', now: NOW },
  opened: { type: 'opened', now: NOW },
  heard: { type: 'heard', now: NOW, beatAgeMs: 400 },
  broken: { type: 'broken', now: NOW, roll: 0, trouble: { kind: 'network' }, retryAfterMs: null },
  cut: { type: 'cut', now: NOW },
  hurry: { type: 'hurry', now: NOW },
  exists: { type: 'exists', exists: false },
}
const still = (rung: Rung): RungStep => ({ rung, effects: [] })
const oneFailure = { phase: 'closed', failures: 1, notBefore: 0 } as const

// Every phase × every signal; a missing cell does not compile.
const table: { [P in Link['phase']]: { [T in RungSignal['type']]: RungStep } } = {
  absent: {
    due: still(rungs.absent),
    opened: still(rungs.absent),
    heard: still(rungs.absent),
    broken: still(rungs.absent),
    cut: still(rungs.absent),
    hurry: still(rungs.absent),
    exists: still(rungs.absent),
  },
  down: {
    due: { rung: with_({ phase: 'opening', since: NOW }), effects: ['open'] },
    opened: still(rungs.down),
    heard: still(rungs.down),
    broken: still(rungs.down),
    cut: still(rungs.down),
    hurry: still(with_({ phase: 'down', retryAt: NOW })),
    exists: still(rungs.absent),
  },
  opening: {
    due: still(rungs.opening),
    opened: still(with_({ phase: 'up', since: NOW, heardAt: null, beatAt: NOW })),
    heard: still(rungs.opening),
    broken: {
      rung: with_(
        { phase: 'down', retryAt: NOW + 500 },
        { breaker: oneFailure, attempts: 1, trouble: { kind: 'network' } },
      ),
      effects: ['close'],
    },
    cut: { rung: with_({ phase: 'down', retryAt: NOW }), effects: ['close'] },
    hurry: still(rungs.opening),
    exists: { rung: rungs.absent, effects: ['close'] },
  },
  up: {
    due: still(rungs.up),
    opened: still(rungs.up),
    heard: still(with_({ phase: 'up', since: NOW - 20, heardAt: NOW, beatAt: NOW - 400 })),
    broken: {
      rung: with_(
        { phase: 'down', retryAt: NOW + 2_000 },
        { breaker: oneFailure, attempts: 3, trouble: { kind: 'network' } },
      ),
      effects: ['close'],
    },
    cut: { rung: { ...rungs.up, link: { phase: 'down', retryAt: NOW } }, effects: ['close'] },
    hurry: still(rungs.up),
    exists: { rung: rungs.absent, effects: ['close'] },
  },
}

describe('rung', () => {
  for (const [phase, row] of Object.entries(table) as [Link['phase'], (typeof table)[Link['phase']]][])
    for (const [type, expected] of Object.entries(row) as [RungSignal['type'], RungStep][])
      it(`[LIVE-11] ${phase} × ${type}`, () => {
        expect(stepRung(rungs[phase], signals[type])).toEqual(expected)
      })

  it('[LIVE-11] one that was not there and now is begins like a new one', () => {
    expect(stepRung(rungs.absent, { type: 'exists', exists: true })).toEqual(still(NEW_RUNG))
    expect(stepRung(rungs.up, { type: 'exists', exists: true })).toEqual(still(rungs.up))
  })

  it('[LIVE-9] an answer alone is no success: three that open and break without an event rest the rung', () => {
    let rung = NEW_RUNG
    for (let count = 0; count < 3; count++) {
      rung = stepRung({ ...rung, link: { phase: 'down', retryAt: NOW } }, signals.due).rung
      rung = stepRung(rung, signals.opened).rung
      rung = stepRung(rung, signals.broken).rung
    }
    expect(rung.breaker.phase).toBe('open')
    expect(rung.link).toEqual({ phase: 'down', retryAt: NOW + 60_000 })
    expect(stepRung(rung, { type: 'due', now: NOW + 1_000 }).effects).toEqual([])
    expect(stepRung(rung, { type: 'due', now: NOW + 60_000 }).effects).toEqual(['open'])
  })

  it('[LIVE-9] being told to wait is obeyed and is not a failure', () => {
    const told = stepRung(rungs.opening, {
      ...signals.broken,
      trouble: { kind: 'status', status: 503 },
      retryAfterMs: 9_000,
    })
    expect(told.rung.link).toEqual({ phase: 'down', retryAt: NOW + 9_000 })
    expect(told.rung.breaker).toEqual({ ...CLOSED, notBefore: NOW + 9_000 })
    expect(told.rung.attempts).toBe(0)
  })

  it('[LIVE-11] a person may end the rest early, and the try is a probe', () => {
    const resting = with_(
      { phase: 'down', retryAt: NOW + 60_000 },
      { breaker: { phase: 'open', openings: 1, until: NOW + 60_000 } },
    )
    const { rung } = stepRung(resting, signals.hurry)
    const tried = stepRung(rung, signals.due)
    expect(tried.effects).toEqual(['open'])
    expect(tried.rung.breaker.phase).toBe('half-open')
  })

  it('[LIVE-11] waits grow with every failure up to the ceiling', () => {
    expect([1, 2, 3].map((attempt) => reconnectMs(attempt, 1))).toEqual([1_000, 2_000, 4_000])
    expect(reconnectMs(40, 1)).toBe(RECONNECT_CONFIG.maxMs)
    expect(reconnectMs(1, 0)).toBe(500)
  })

  it('[LIVE-9] a probe that is cut short is not spent, however often that happens', () => {
    let rung: Rung = { ...NEW_RUNG, breaker: { phase: 'open', openings: 1, until: NOW } }
    for (let count = 0; count < 10; count++) {
      const opened = stepRung(rung, signals.due)
      expect(opened.effects).toEqual(['open'])
      rung = stepRung(count % 2 ? opened.rung : stepRung(opened.rung, signals.opened).rung, signals.cut).rung
    }
  })
})

it('[LIVE-10] what is known before the machine is loaded is how the machine begins', () => {
  expect([NEW_RUNG.breaker, NEW_LADDER.polling]).toEqual([CLOSED, IDLE])
})
