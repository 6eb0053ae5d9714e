import { describe, expect, it } from 'vitest'
import type { ProcessNote } from './delivery-ports.ts'
import { DeliveryTrends } from './delivery-trends.ts'
import type { DeliveryPicture } from './watch-delivery.ts'

const process = (name: string, mentions: number): ProcessNote => ({
  ...{ name, at: 0, pid: 1, host: 'h', connections: 2, failed: 0 },
  delivered: { mentions, webhooks: 0, 'edge-relay': 0 },
  breakers: {} as ProcessNote['breakers'],
})

const picture = (at: number, processes: ProcessNote[], pending: number | null = 0): DeliveryPicture => ({
  ...{ at, down: [], processes, handlers: [], memory: null, deadLetters: 3, outbox: { waiting: 0, oldestMs: null } },
  group: pending === null ? null : ({ pending, lag: null } as DeliveryPicture['group']),
  schedule: null,
  beat: { ageMs: 900, lateMs: 45_000 },
})

describe('[FEED-17] trends', () => {
  it('rates are counted by process: one that ended takes nothing away, one that began counts from nothing', () => {
    const trends = new DeliveryTrends()
    trends.note(picture(0, [process('a', 1_000), process('b', 500)]))
    expect(trends.rates).toBeNull()
    trends.note(picture(5_000, [process('a', 1_050), process('c', 10)]))
    expect(trends.rates).toEqual({ mentions: 12, webhooks: 0, 'edge-relay': 0 })
    // The same name with a smaller count is a process that began anew.
    trends.note(picture(10_000, [process('a', 5), process('c', 30)]))
    expect(trends.rates?.mentions).toBe(4)
  })

  it('a point is the mean of its time, and what was not known is a hole', () => {
    const trends = new DeliveryTrends()
    trends.note(picture(241_000, [], 10))
    trends.note(picture(244_000, [], 20))
    trends.note(picture(246_000, [], null))
    trends.note(picture(251_000, [], 7))
    const { gauges, until, stepMs } = trends.read(5, 253_000)
    expect([until, stepMs]).toEqual([255_000, 5_000])
    expect(gauges.pending).toHaveLength(60)
    expect(gauges.pending.slice(-4)).toEqual([null, 15, null, 7])
    expect(gauges.dead.slice(-4)).toEqual([null, 3, 3, 3])
    expect(gauges.connections.at(-1)).toBe(0)
  })

  it('nothing is kept for longer than an hour', () => {
    const trends = new DeliveryTrends()
    for (let minute = 0; minute <= 200; minute++) trends.note(picture(minute * 60_000, [], minute))
    const { gauges } = trends.read(60, 200 * 60_000)
    expect(gauges.pending).toEqual(Array.from({ length: 60 }, (_, i) => 141 + i))
  })
})
