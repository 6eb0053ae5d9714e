import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WriteSchedule } from './write-schedule.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Each round of writes takes `costMs`. */
function worldOf(windowMs: number, costMs: number) {
  const writes: number[] = []
  let extra = 0
  const elapsed = () => performance.now() + extra
  const schedule = new WriteSchedule(windowMs, elapsed, () => {
    writes.push(Math.round(elapsed()))
    extra += costMs
  })
  return { schedule, writes }
}

describe('[LIVE-3] writes', () => {
  test('the first one after a pause goes out at once, together with what comes in the same turn', async () => {
    const { schedule, writes } = worldOf(5, 0)
    schedule.ask()
    schedule.ask()
    await vi.advanceTimersByTimeAsync(0)
    expect(writes).toEqual([0])
    await vi.advanceTimersByTimeAsync(50)
    schedule.ask()
    await vi.advanceTimersByTimeAsync(0)
    expect(writes).toEqual([0, 50])
  })

  test('in a stream of events writes are a window apart', async () => {
    const { schedule, writes } = worldOf(5, 0)
    for (let ms = 0; ms < 18; ms++) {
      schedule.ask()
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(writes).toEqual([0, 5, 10, 15])
  })

  test('the window grows with what writing costs, up to a bound', async () => {
    const dear = worldOf(5, 20)
    dear.schedule.ask()
    await vi.advanceTimersByTimeAsync(0)
    dear.schedule.ask()
    await vi.advanceTimersByTimeAsync(200)
    expect(dear.writes).toEqual([0, 60])

    const tooDear = worldOf(5, 500)
    tooDear.schedule.ask()
    await vi.advanceTimersByTimeAsync(0)
    tooDear.schedule.ask()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(tooDear.writes[1]! - tooDear.writes[0]!).toBe(600)
  })

  test('without a window nothing is collected beyond the turn', async () => {
    const { schedule, writes } = worldOf(0, 20)
    for (let i = 0; i < 3; i++) {
      schedule.ask()
      await vi.advanceTimersByTimeAsync(0)
    }
    expect(writes).toHaveLength(3)
  })
})
