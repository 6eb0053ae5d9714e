import { describe, expect, test } from 'vitest'
import { SSE_LIFE_MS } from '../streams/core/tuning.ts'
import * as constants from './constants.ts'

describe('[SUB-9] constants', () => {
  test('those known from the design have their names and values', () => {
    expect(constants).toMatchObject({
      DEFAULT_SESSION_TTL_SECONDS: 1_800,
      FANOUT_BATCH_SIZE: 50,
      FANOUT_QUEUE_THRESHOLD: 200,
      FANOUT_QUEUE_BATCH_SIZE: 50,
      MAX_INLINE_FANOUT: 1_000,
      FANOUT_RPC_TIMEOUT_MS: 10_000,
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: 5,
      CIRCUIT_BREAKER_RECOVERY_MS: 60_000,
      SHARD_SUBSCRIBERS: 5_000,
      MAX_SUBSCRIBERS: 10_000,
    })
  })

  test('what must be larger than something else is', () => {
    const { FANOUT_QUEUE_THRESHOLD, FANOUT_RPC_TIMEOUT_MS, INTENT_RESUME_MS } = constants
    const { MAX_INLINE_FANOUT, MAX_SUBSCRIBERS, SHARD_SUBSCRIBERS, STREAM_LIVES_PER_LEASE, LEASE_NOTE_LIVES } =
      constants
    expect(FANOUT_QUEUE_THRESHOLD).toBeLessThan(MAX_INLINE_FANOUT)
    expect(MAX_SUBSCRIBERS % SHARD_SUBSCRIBERS).toBe(0)
    // The alarm must not take up a publish whose first batch is still waited for.
    expect(INTENT_RESUME_MS).toBeGreaterThan(2 * FANOUT_RPC_TIMEOUT_MS)
    expect(STREAM_LIVES_PER_LEASE).toBeGreaterThan(1)
    expect(LEASE_NOTE_LIVES).toBeGreaterThan(STREAM_LIVES_PER_LEASE)
  })

  test('[SUB-7] an SSE connection ends, and its reader comes back, which counts as a touch, well within five minutes', () => {
    expect(SSE_LIFE_MS).toBeLessThan(300_000)
    expect(300_000).toBeLessThan((constants.DEFAULT_SESSION_TTL_SECONDS * 1_000) / 2)
  })
})
