import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FANOUT_QUEUE_BATCH_SIZE, QUEUE_MAX_BYTES, QUEUE_MAX_MESSAGES } from '../constants.ts'
import { NOBODY, planFanout, queueBatches, sumFanouts } from './plan.ts'

const closed = () => true
const open = () => false

describe('[SUB-3] the way of a publish', () => {
  test.each([
    [0, true, closed, 'inline'],
    [200, true, closed, 'inline'],
    [200, true, open, 'circuit-open'],
    [201, true, open, 'queued'],
    [201, false, closed, 'inline'],
    [1_000, false, closed, 'inline'],
    [1_000, false, open, 'circuit-open'],
    [1_001, false, closed, 'deferred'],
  ] as const)('%i listeners, queue %s: %s', (listeners, hasQueue, breaker, mode) => {
    expect(planFanout(listeners, hasQueue, breaker)).toBe(mode)
  })

  test('the queue gets everybody once, within its limits', () => {
    const message = {
      ...{ projectId: 'p'.repeat(64), streamId: `topic:${'t'.repeat(200)}`, shard: 1 },
      ...{ incarnation: 'x'.repeat(13), prevOffset: 1, offset: 2 },
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12_000 }), (count) => {
        const listeners = Array.from({ length: count }, (_, at) => ({
          sessionId: `0b0e7a52-1111-4222-8333-${String(at).padStart(12, '0')}`,
          generation: at,
        }))
        const batches = queueBatches(message, listeners)
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(QUEUE_MAX_MESSAGES)
          expect(JSON.stringify(batch).length).toBeLessThanOrEqual(QUEUE_MAX_BYTES)
          expect(batch.every((entry) => entry.listeners.length <= FANOUT_QUEUE_BATCH_SIZE)).toBe(true)
        }
        expect(batches.flat().flatMap((entry) => entry.listeners)).toEqual(listeners)
      }),
      { numRuns: 20 },
    )
  })

  test('what the shards of a topic did is told as one, the worst first', () => {
    const inline = { count: 10, successes: 9, failures: 1, mode: 'inline' } as const
    const queued = { count: 300, successes: 0, failures: 0, mode: 'queued' } as const
    const deferred = { count: 5, successes: 0, failures: 5, mode: 'deferred' } as const
    expect(sumFanouts([inline, queued])).toEqual({ count: 310, successes: 9, failures: 1, mode: 'queued' })
    expect(sumFanouts([queued, deferred, inline])).toMatchObject({ count: 315, mode: 'deferred' })
    expect(sumFanouts([NOBODY, inline])).toEqual(inline)
    expect(sumFanouts([NOBODY, { ...NOBODY, mode: 'queued' }])).toEqual(NOBODY)
  })
})
