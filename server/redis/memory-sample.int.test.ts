import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { connectRedis, type RedisConnection } from './connection.ts'
import { LOG_STREAM, presenceKey, readsKey } from './keys.ts'
import { sampleMemory } from './memory-sample.ts'

let server: TestRedis
let redis: RedisConnection
beforeAll(async () => {
  server = await openRedis()
  const log = createLogger({ mode: 'production', logLevel: 'silent' })
  redis = await connectRedis({ socketPath: server.socketPath }, log)
})
afterAll(async () => {
  redis.destroy()
  await server.stop()
})

test('[MON-1] memory by kind of key is estimated from a few of them', async () => {
  expect(await sampleMemory(redis)).toMatchObject({ keys: 0, bytes: { reads: 0 } })
  for (let person = 0; person < 40; person++) {
    await redis.set(readsKey(String(person)), 'x'.repeat(1_000))
    await redis.set(presenceKey(String(person)), 'x')
  }
  await redis.set(LOG_STREAM, 'x'.repeat(100_000))
  const { keys, bytes } = await sampleMemory(redis, 400)
  expect(keys).toBe(81)
  // 40 keys of a little more than 1,000 bytes, within what drawing 400 of 81 can miss by.
  expect(bytes.reads).toBeGreaterThan(25_000)
  expect(bytes.reads).toBeLessThan(80_000)
  expect(bytes.presence).toBeLessThan(bytes.reads)
  expect(bytes.other).toBe(0)
})
