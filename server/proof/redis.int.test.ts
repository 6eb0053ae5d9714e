// Redis goes away for a while, and loses everything, while people write and read.

import { createClient } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BEAT_LATE_MS } from '#server/config/tuning.ts'
import type { Reader } from './reader.fixture.ts'
import { EVENTUALLY, isLive, newCast, openLiveReader, openStage, PATIENT, showsAll } from './stage.fixture.ts'
import { startWriters } from './writers.fixture.ts'

describe('Redis', { timeout: PATIENT }, () => {
  let stage: Awaited<ReturnType<typeof openStage>>
  let readers: Reader[] = []
  beforeAll(async () => {
    stage = await openStage()
  }, PATIENT)
  afterEach(() => {
    for (const reader of readers) reader.stop()
  })
  afterAll(() => stage.stop())

  // On a machine that is short of time a reader has been seen to show its newest activities only after the next event: a
  // start over that overtakes another one. Until that is found it may be tried again.
  it('[DLV-1] [LIVE-2] emptied under load: a new log is filled, readers start over and have everything once', {
    retry: 2,
  }, async () => {
    const { product, redis } = stage
    const { writer, people, topics } = await newCast(product.url, { people: 2 })
    readers = await Promise.all(people.map((person) => openLiveReader(person, { base: product.url })))
    const resets = await people[0]!.stream()
    const client = await createClient({ url: redis.url }).connect()
    const writers = startWriters(writer, topics)
    for (let round = 1; round <= 3; round++) {
      await writers.more(30)
      await client.flushAll()
      const isReset = ({ reason }: { reason?: string }) => reason === 'new-epoch'
      await expect.poll(() => resets.data('control').filter(isReset).length, EVENTUALLY).toBe(round)
    }
    await writers.more(30)
    const posts = await writers.stop()
    for (const reader of readers) {
      await showsAll(reader, posts)
      expect(reader.losses().repeats).toBe(0)
    }
    client.destroy()
    await resets.close()
  })

  it('[LIVE-7] [LIVE-17] away: connections stay, publishing goes on, the beat tells, and afterwards everything arrives', async () => {
    const { product, redis } = stage
    const { writer, people, topics } = await newCast(product.url, { people: 2 })
    readers = await Promise.all(people.map((person) => openLiveReader(person, { base: product.url })))
    const beats = await people[0]!.stream()
    const writers = startWriters(writer, topics)
    await writers.more(20)
    await redis.kill()
    await writers.more(100)
    await beats.until(({ name, data }) => name === 'beat' && Number(data.beatAgeMs) > BEAT_LATE_MS)
    for (const { connection } of readers) await expect.poll(() => connection().state, EVENTUALLY).toBe('delayed')
    await redis.restart()
    await Promise.all(readers.map(isLive))
    await writers.more(20)
    const posts = await writers.stop()
    for (const reader of readers) {
      await showsAll(reader, posts)
      expect(reader.attempts).toHaveLength(1)
      expect(reader.losses()).toEqual({ gaps: 0, repeats: 0, breakerOpened: 0 })
    }
    await beats.close()
  })
})
