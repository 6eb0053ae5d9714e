// Readers on a bad wire while others write: cut inside frames, or silent without an end.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startProxy, type TcpProxy } from '#scripts/testing/tcp-proxy.ts'
import { hurriedClock } from './hurried-clock.fixture.ts'
import type { Reader } from './reader.fixture.ts'
import { EVENTUALLY, newCast, openLiveReader, openStage, PATIENT, showsAll } from './stage.fixture.ts'
import { startWriters } from './writers.fixture.ts'

describe('a bad wire', { timeout: PATIENT }, () => {
  let stage: Awaited<ReturnType<typeof openStage>>
  let wire: TcpProxy
  let reader: Reader
  beforeAll(async () => {
    stage = await openStage()
  }, PATIENT)
  beforeEach(async () => {
    wire = await startProxy(stage.product.port)
  })
  afterEach(async () => {
    reader.stop()
    await wire.stop()
  })
  afterAll(() => stage.stop())

  it('[LIVE-2] cut again and again in the middle of a frame, a reader has everything once and in order', async () => {
    const { writer, people, topics } = await newCast(stage.product.url)
    reader = await openLiveReader(people[0]!, { base: wire.url, clock: hurriedClock(10) })
    const writers = startWriters(writer, topics)
    for (let round = 0; round < 12; round++) {
      const { length } = reader.attempts
      wire.tear()
      await expect.poll(() => reader.attempts.length, EVENTUALLY).toBeGreaterThan(length)
      // Some come back to a quiet moment, some are cut while they catch up.
      if (round % 3 !== 0) await writers.more(20)
    }
    await showsAll(reader, await writers.stop())
    expect(reader.losses()).toMatchObject({ gaps: 0, repeats: 0 })
  })

  it('[LIVE-13] a wire that swallows everything and ends nothing is left, and what it swallowed arrives', async () => {
    const { writer, people, topics } = await newCast(stage.product.url)
    reader = await openLiveReader(people[0]!, { base: wire.url, clock: hurriedClock(20) })
    const writers = startWriters(writer, topics)
    for (let round = 0; round < 2; round++) {
      await writers.more(20)
      const { length } = reader.attempts
      wire.blackHole(true)
      await expect.poll(() => reader.attempts.length, EVENTUALLY).toBeGreaterThan(length)
      wire.blackHole(false)
      await expect.poll(() => reader.shown()[0]?.id, EVENTUALLY).toBeGreaterThanOrEqual(writers.posts.at(-1)!.id)
    }
    await showsAll(reader, await writers.stop())
    expect(reader.losses()).toMatchObject({ gaps: 0, repeats: 0 })
  })
})
