import { describe, expect, it } from 'vitest'
import { seededRandom } from './clock.ts'
import { IDLE, type PollingSchedule, type PollSignal, type PollStep, stepPolling } from './polling-schedule.ts'

const NOW = 500_000
type Phase = PollingSchedule['phase']
type Of<P extends Phase> = Extract<PollingSchedule, { phase: P }>

const signals: { [T in PollSignal['type']]: Extract<PollSignal, { type: T }> } = {
  start: { type: 'start', now: NOW, roll: 0.5 },
  stop: { type: 'stop' },
  due: { type: 'due', now: NOW },
  answered: { type: 'answered', now: NOW, roll: 0.5, hidden: false },
  failed: { type: 'failed', now: NOW, roll: 0, hidden: false, retryAfterMs: null },
  hurry: { type: 'hurry', now: NOW },
  shown: { type: 'shown', now: NOW, roll: 0.2 },
  hidden: { type: 'hidden', now: NOW, roll: 0 },
}

const states: { [P in Phase]: Of<P> } = {
  idle: { phase: 'idle' },
  waiting: { phase: 'waiting', at: NOW + 4_000, notBefore: 0, failures: 1 },
  asking: { phase: 'asking', failures: 1 },
}

const still = (state: PollingSchedule): PollStep => ({ state, effects: [] })
const wake = (at: number, failures = 0, notBefore = 0): PollStep => ({
  state: { phase: 'waiting', at, notBefore, failures },
  effects: [{ do: 'wake', at }],
})

// Every phase × every signal; a missing cell does not compile.
const table: { [P in Phase]: { [T in PollSignal['type']]: PollStep } } = {
  idle: {
    start: wake(NOW + 5_000),
    stop: still(states.idle),
    due: still(states.idle),
    answered: still(states.idle),
    failed: still(states.idle),
    hurry: wake(NOW),
    shown: still(states.idle),
    hidden: still(states.idle),
  },
  waiting: {
    start: still(states.waiting),
    stop: { state: IDLE, effects: [{ do: 'sleep' }] },
    due: { state: states.waiting, effects: [{ do: 'wake', at: NOW + 4_000 }] },
    answered: still(states.waiting),
    failed: still(states.waiting),
    hurry: wake(NOW, 1),
    shown: wake(NOW + 1_000, 1),
    hidden: wake(NOW + 60_000, 1),
  },
  asking: {
    start: still(states.asking),
    stop: { state: IDLE, effects: [{ do: 'sleep' }] },
    due: still(states.asking),
    answered: wake(NOW + 5_750),
    failed: wake(NOW + 20_000, 2),
    hurry: still(states.asking),
    shown: still(states.asking),
    hidden: still(states.asking),
  },
}

describe('polling schedule', () => {
  for (const [phase, row] of Object.entries(table) as [Phase, (typeof table)[Phase]][])
    for (const [type, expected] of Object.entries(row) as [PollSignal['type'], PollStep][])
      it(`[LIVE-10] ${phase} × ${type}`, () => {
        expect(stepPolling(states[phase], signals[type])).toEqual(expected)
      })

  it('[LIVE-10] asks when the moment has come', () => {
    expect(stepPolling(states.waiting, { type: 'due', now: NOW + 4_000 })).toEqual({
      state: { phase: 'asking', failures: 1 },
      effects: [{ do: 'ask' }],
    })
  })

  it('[LIVE-10] stretches to a minute while hidden', () => {
    expect(stepPolling(states.asking, { ...signals.answered, roll: 0, hidden: true })).toEqual(wake(NOW + 60_000))
  })

  it('[LIVE-10] obeys Retry-After, also when the page is shown again', () => {
    const told = stepPolling(states.asking, { ...signals.failed, retryAfterMs: 30_000 })
    expect(told).toEqual(wake(NOW + 30_000, 1, NOW + 30_000))
    expect(stepPolling(told.state, signals.shown)).toEqual(still(told.state))
    expect(stepPolling(told.state, signals.hurry)).toEqual(still(told.state))
  })

  it('[LIVE-15] ten thousand clients that lose the server at once never poll faster than one in five seconds by more than 10 %', () => {
    const random = seededRandom(7)
    const clients = 10_000
    const perSecond = new Map<number, number>()
    for (let client = 0; client < clients; client++) {
      let step = stepPolling(IDLE, { type: 'start', now: 0, roll: random() })
      while (step.state.phase === 'waiting' && step.state.at < 60_000) {
        const at = step.state.at
        perSecond.set(Math.floor(at / 1_000), (perSecond.get(Math.floor(at / 1_000)) ?? 0) + 1)
        const asked = stepPolling(step.state, { type: 'due', now: at })
        step = stepPolling(asked.state, { type: 'answered', now: at, roll: random(), hidden: false })
      }
    }
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual((clients / 5) * 1.1)
    expect(Math.min(...perSecond.values())).toBeGreaterThan(0)
  })
})
