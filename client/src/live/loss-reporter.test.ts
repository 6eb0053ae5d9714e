import { describe, expect, it } from 'vitest'
import type { Losses } from './ledger.ts'
import { createLossReporter } from './loss-reporter.ts'
import { handClock } from './testing.ts'

const none = { gaps: 0, repeats: 0, breakerOpened: 0 }

/** The device is shared by all reporters of a test, as tabs share it. */
function setUp() {
  const clock = handClock()
  const device: { saved: Losses | undefined } = { saved: undefined }
  const sent: Losses[] = []
  const server = { takes: true }
  let online = true
  const reporter = () =>
    createLossReporter({
      send: async (report) => {
        sent.push(report)
        if (!server.takes) throw new Error('no answer')
        return true
      },
      load: async () => device.saved,
      save: (losses) => {
        device.saved = losses
      },
      isOnline: () => online,
      ...clock,
    })
  return {
    ...{ reporter, clock, device, sent, server },
    goOffline: () => {
      online = false
    },
  }
}

describe('loss reporter', () => {
  it('[LIVE-18] reports what there is, then nothing until there is more and a minute has passed', async () => {
    const run = setUp()
    const losses = run.reporter()
    await losses.begin()
    await run.clock.pass(120_000)
    expect(run.sent).toEqual([])
    losses.note({ gaps: 1 })
    await run.clock.pass(0)
    losses.note({ repeats: 1 })
    losses.note({ repeats: 1 })
    await run.clock.pass(59_000)
    expect(run.sent).toEqual([{ ...none, gaps: 1 }])
    await run.clock.pass(1_000)
    expect(run.sent).toEqual([
      { ...none, gaps: 1 },
      { ...none, repeats: 2 },
    ])
    expect(run.device.saved).toEqual(none)
  })

  it('[LIVE-18] what the server did not take is sent with the next report', async () => {
    const run = setUp()
    const losses = run.reporter()
    await losses.begin()
    run.server.takes = false
    losses.note({ breakerOpened: 1 })
    await run.clock.pass(0)
    expect(run.device.saved).toEqual({ ...none, breakerOpened: 1 })
    run.server.takes = true
    await run.clock.pass(60_000)
    expect(run.sent.at(-1)).toEqual({ ...none, breakerOpened: 1 })
    expect(run.device.saved).toEqual(none)
  })

  it('[LIVE-18] closing the page sends what is known, without waiting for the minute, and nobody sends it again', async () => {
    const run = setUp()
    const losses = run.reporter()
    await losses.begin()
    losses.note({ gaps: 1 })
    await run.clock.pass(0)
    losses.note({ gaps: 1 })
    await losses.end()
    const next = run.reporter()
    await next.begin()
    await run.clock.pass(120_000)
    expect(run.sent).toEqual([
      { ...none, gaps: 1 },
      { ...none, gaps: 1 },
    ])
  })

  it('[LIVE-18] a tab that is closed offline, or whose last report fails, leaves its counts to the next', async () => {
    const run = setUp()
    const first = run.reporter()
    await first.begin()
    run.server.takes = false
    first.note({ gaps: 1 })
    await first.end()
    const second = run.reporter()
    await second.begin()
    run.goOffline()
    second.note({ repeats: 1 })
    await second.end()
    expect(run.device.saved).toEqual({ ...none, gaps: 1, repeats: 1 })
  })

  it('[LIVE-18] what happens before the books are found is added to them', async () => {
    const run = setUp()
    run.device.saved = { ...none, gaps: 5 }
    const losses = run.reporter()
    const begun = losses.begin()
    losses.note({ gaps: 1 })
    await begun
    await run.clock.pass(0)
    expect(run.sent).toEqual([{ ...none, gaps: 6 }])
  })
})
