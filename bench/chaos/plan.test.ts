import { describe, expect, it } from 'vitest'
import { FAULTS, planOf, printPlan } from './plan.ts'

describe('[DLV-9] the fault simulator', () => {
  it('the same seed gives the same schedule, another gives another', () => {
    expect(planOf(7)).toEqual(planOf(7))
    expect(printPlan(planOf(7))).not.toBe(printPlan(planOf(8)))
  })

  it('every fault comes up within the seeds of one test run', () => {
    const seeds = Array.from({ length: 30 }, (_, i) => i + 1)
    const seen = new Set(
      seeds.flatMap((seed) => planOf(seed).steps.flatMap((step) => (step.do === 'fault' ? [step.fault] : []))),
    )
    expect([...seen].sort()).toEqual([...FAULTS].sort())
  })
})
