import { describe, expect, it } from 'vitest'
import { createReadSync } from './read-sync.ts'
import { changeShown, isBehind, listsShown, ownChange, UNKNOWN_READS, versionHeard } from './read-version.ts'
import { handClock } from './testing.ts'

const at = (version: number) => versionHeard(UNKNOWN_READS, version)

describe('read version', () => {
  it('[READ-7] marks that were heard explain a newer version, in whatever order they come', () => {
    let state = versionHeard(at(5), 7)
    expect(isBehind(state)).toBe(true)
    state = changeShown(state, 7)
    expect(isBehind(state)).toBe(true)
    expect(isBehind(changeShown(state, 6))).toBe(false)
  })

  it('[READ-7] a change of our own explains the next version, but not one that others have a part in', () => {
    expect(isBehind(ownChange(at(5), 6))).toBe(false)
    expect(isBehind(ownChange(at(5), 7))).toBe(true)
  })

  it('[READ-7] lists explain everything up to the version they were asked for at', () => {
    expect(isBehind(listsShown(versionHeard(at(5), 9), 9))).toBe(false)
    expect(isBehind(listsShown(versionHeard(at(5), 9), 8))).toBe(true)
  })
})

function setUp() {
  const clock = handClock()
  const run = { renewed: 0, fails: false, marking: false }
  const sync = createReadSync({
    renew: async () => {
      run.renewed += 1
      if (run.fails) throw new Error('no answer')
    },
    isMarking: () => run.marking,
    timers: clock.timers,
  })
  sync.countsHeard(5)
  return { ...clock, run, sync }
}

describe('read sync', () => {
  it('[READ-7] counts that are newer than anything heard bring the lists anew, once', async () => {
    const { run, sync, pass } = setUp()
    sync.countsHeard(6)
    sync.countsHeard(6)
    await pass(60_000)
    expect(run.renewed).toBe(1)
  })

  it('[READ-7] counts that follow marks we got or made bring nothing', async () => {
    const { run, sync, pass } = setUp()
    sync.countsHeard(6)
    sync.marksShown(6)
    sync.ownMarksShown(7)
    sync.countsHeard(7)
    await pass(60_000)
    expect(run.renewed).toBe(0)
  })

  it('[READ-7] waits for marks of our own, and asks again after a failure', async () => {
    const { run, sync, pass } = setUp()
    run.marking = true
    run.fails = true
    sync.countsHeard(7)
    await pass(10_000)
    expect(run.renewed).toBe(0)
    run.marking = false
    await pass(2_000)
    expect(run.renewed).toBe(1)
    run.fails = false
    await pass(30_000)
    expect(run.renewed).toBe(2)
  })
})
