import fc from 'fast-check'
import { expect, test } from 'vitest'
import { configSchema } from './config.ts'
import { advance, beginControl, type Control, calling, changeConfig, heard, isSettled } from './control.ts'
import { dealSlots } from './slots.ts'

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const size = fc
  .record({ partitions: fc.integer({ min: 1, max: 8 }), more: fc.nat(20) })
  .map(({ partitions, more }) => ({ partitions, concurrency: Math.min(partitions + more, partitions * 6) }))
const event = fc.record({
  lostThere: fc.boolean(),
  lostBack: fc.boolean(),
  ends: fc.array(fc.nat(7), { maxLength: 4 }),
  resize: fc.option(size, { freq: 8 }),
})

/** Partitions that use every slot they were ever told, until a job ends. */
class Busy {
  slots: number[] = []
  active: number[] = []

  told(partition: number, slots: number) {
    this.slots[partition] = slots
    this.active[partition] = Math.max(this.active[partition] ?? 0, slots)
  }

  end(partition: number) {
    const [slots = 0, active = 0] = [this.slots[partition], this.active[partition]]
    if (active > slots) this.active[partition] = active - 1
  }
}

function step(control: Control, busy: Busy, lost: { there: boolean; back: boolean }): Control {
  const { control: next, calls } = advance(control)
  let now = next
  for (const call of calls) {
    now = calling(now, call)
    if (lost.there) continue
    busy.told(call.partition, call.slots)
    const active = busy.active[call.partition]!
    if (!lost.back) now = heard(now, { ...call, version: now.target.version, active })
  }
  return now
}

test('[JOB-1] the limit is never exceeded, whatever is lost and however often it is changed', () => {
  fc.assert(
    fc.property(size, fc.array(event, { maxLength: 60 }), (first, events) => {
      let control = beginControl(configSchema.parse(first))
      const busy = new Busy()
      let limit = first.concurrency
      for (const { lostThere, lostBack, ends, resize } of events) {
        if (resize !== null) {
          control = changeConfig(control, configSchema.parse(resize))
          limit = Math.max(limit, resize.concurrency)
        }
        control = step(control, busy, { there: lostThere, back: lostBack })
        for (const partition of ends) busy.end(partition)
        expect(sum(busy.active.filter((active) => active !== undefined))).toBeLessThanOrEqual(limit)
        if (isSettled(control)) limit = control.target.config.concurrency
      }
      for (let rounds = 0; !isSettled(control); rounds++) {
        expect(rounds).toBeLessThan(300)
        control = step(control, busy, { there: false, back: false })
        for (let partition = 0; partition < 8; partition++) busy.end(partition)
      }
      const { concurrency, partitions } = control.target.config
      const used = busy.slots.filter((slots) => slots > 0)
      expect(used).toEqual(dealSlots(concurrency, partitions))
    }),
  )
})

test('[JOB-3] a plan is not published before every partition knows it', () => {
  let control = step(beginControl(configSchema.parse({})), new Busy(), { there: false, back: false })
  control = advance(control).control
  expect(control.published?.version).toBe(1)
  control = changeConfig(control, configSchema.parse({ partitions: 3 }))
  const { calls } = advance(control)
  for (const call of calls.slice(1)) control = heard(control, { ...call, version: 2, active: 0 })
  expect(advance(control).control.published?.version).toBe(1)
  control = heard(control, { ...calls[0]!, version: 2, active: 0 })
  expect(advance(control).control.published?.version).toBe(2)
})
