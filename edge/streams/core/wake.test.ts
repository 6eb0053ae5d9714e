import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ASLEEP, isCurrent, nextLookMs, retryInMs, stepWake, type Wake, type WakeSignal } from './wake.ts'

const pull = { delivery: 'pull-wake', leaseMs: 1_000 } as const
const hook = { delivery: 'webhook', leaseMs: 1_000 } as const
const work = (nowMs: number, wakeId = `w${nowMs}`): WakeSignal => ({ type: 'work', nowMs, wakeId })
const claim = (nowMs: number, worker: string, pending = true): WakeSignal => ({
  type: 'claim',
  nowMs,
  wakeId: `c${nowMs}`,
  worker,
  pending,
})

function run(rules: typeof pull | typeof hook, ...signals: WakeSignal[]) {
  let wake: Wake = ASLEEP
  const effects = signals.flatMap((signal) => {
    const step = stepWake(wake, signal, rules)
    wake = step.wake
    return step.effects
  })
  return { wake, effects }
}

describe('[STR-1] wakes of a subscription', () => {
  test('work wakes once, however much of it comes', () => {
    expect(run(hook, work(0), work(1), work(2)).effects).toEqual([{ do: 'deliver' }])
    expect(run(pull, work(0), work(1)).effects).toEqual([{ do: 'announce' }])
  })

  test('one worker holds it until it is done or its lease is over', () => {
    expect(run(pull, work(0), claim(1, 'a'), claim(2, 'b')).effects.at(-1)).toEqual({
      do: 'refuse',
      code: 'ALREADY_CLAIMED',
    })
    expect(run(pull, work(0), claim(1, 'a'), claim(1_001, 'b')).wake).toMatchObject({ holder: 'b', generation: 2 })
    expect(run(pull, claim(0, 'a', false)).effects).toEqual([{ do: 'refuse', code: 'NO_PENDING_WORK' }])
  })

  test('a heartbeat keeps the lease', () => {
    const { wake } = run(
      pull,
      work(0),
      claim(0, 'a'),
      { type: 'heartbeat', nowMs: 900 },
      { type: 'tick', nowMs: 1_500 },
    )
    expect(wake).toMatchObject({ phase: 'held', holder: 'a' })
    expect(nextLookMs(wake)).toBe(1_900)
  })

  test('a failed delivery rests before the next, longer each time', () => {
    const failed: WakeSignal = { type: 'failed', nowMs: 10, roll: 0.5 }
    const { wake } = run(hook, work(0), failed, work(500))
    expect(wake).toMatchObject({ phase: 'idle', retryAtMs: 1_010 })
    expect(run(hook, work(0), failed, work(1_010), failed).wake).toMatchObject({ failures: 2, retryAtMs: 2_010 })
    expect([1, 2, 7, 30].map((failures) => retryInMs(failures, 0.5))).toEqual([1_000, 2_000, 60_000, 60_000])
    expect([retryInMs(1, 0), retryInMs(1, 1)]).toEqual([800, 1_200])
  })

  test('generations only grow, and a wake that is over is never current again', () => {
    const signal = fc.oneof(
      fc.nat(9).map((now) => work(now * 300)),
      fc.tuple(fc.nat(9), fc.constantFrom('a', 'b')).map(([now, worker]) => claim(now * 300, worker)),
      fc.constant<WakeSignal>({ type: 'done' }),
      fc.nat(9).map((now): WakeSignal => ({ type: 'tick', nowMs: now * 300 })),
      fc.nat(9).map((now): WakeSignal => ({ type: 'failed', nowMs: now * 300, roll: 0.1 })),
    )
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 40 }), fc.constantFrom(pull, hook), (signals, rules) => {
        let wake: Wake = ASLEEP
        const over: { generation: number; wakeId: string }[] = []
        for (const [at, next] of signals.entries()) {
          const unique = 'wakeId' in next ? { ...next, wakeId: String(at) } : next
          const before = wake
          wake = stepWake(wake, unique, rules).wake
          expect(wake.generation).toBeGreaterThanOrEqual(before.generation)
          if (before.phase === 'held' && !isCurrent(wake, before.generation, before.wakeId)) over.push(before)
          expect(over.some(({ generation, wakeId }) => isCurrent(wake, generation, wakeId))).toBe(false)
        }
      }),
    )
  })
})
