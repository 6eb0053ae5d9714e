// The small rules: retry, lease, admission, outcome, gate, jobs.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { admit, admitAll, retryAfterMs } from './admission.ts'
import { configSchema } from './config.ts'
import { answered, OPEN, passableAt, passed, wasDown } from './egress-gate.ts'
import { jobSchema, routingKey } from './job.ts'
import { leaseToken, parseLeaseToken } from './lease.ts'
import { verdictOf } from './outcome.ts'
import { retryDelayMs } from './retry.ts'
import { EGRESS_REST_MAX_MS } from './tuning.ts'

const { retry } = configSchema.parse({ retry: { baseDelay: 1_000, maxDelay: 60_000, jitter: 0.5 } })

test('[JOB-6] delays double up to the longest, and chance only shortens them', () => {
  expect([1, 2, 3, 10, 100].map((attempt) => retryDelayMs(retry, attempt, 0))).toEqual([
    1_000, 2_000, 4_000, 60_000, 60_000,
  ])
  expect(retryDelayMs({ ...retry, backoff: 'fixed' }, 9, 0)).toBe(1_000)
  expect(retryDelayMs(retry, 1, 0.9999)).toBe(500)
})

test('[JOB-5] a lease token says where the lease is kept, and nothing else passes for one', () => {
  expect(parseLeaseToken(leaseToken({ partition: 3, n: 42 }, 'a-secret-of-it'))).toEqual({ partition: 3, n: 42 })
  for (const token of ['', '3.42', '3.x.secretsecret', '3.42.short', '-1.2.secretsecret'])
    expect(parseLeaseToken(token)).toBeNull()
})

const small = (onPressure: object) => configSchema.parse({ maxQueueDepth: 100, onPressure })

test('[JOB-8] each strategy has its marks', () => {
  const config = small({})
  const at = (depth: number) =>
    (['throttle', 'reject', 'spill', 'shed'] as const).map((one) => admit(depth, one, config))
  expect(at(79)).toEqual(['take', 'take', 'take', 'take'])
  expect(at(80)).toEqual(['slow', 'take', 'spill', 'shed'])
  expect(at(95)).toEqual(['full', 'full', 'spill', 'shed'])
})

test('[JOB-8] a batch fills up to the mark, and no further', () => {
  fc.assert(
    fc.property(fc.nat(120), fc.integer({ min: 1, max: 200 }), (depth, count) => {
      const taken = admitAll(Array(count).fill('webhook'), depth, small({})).filter((one) => one === 'take').length
      expect(depth + taken).toBeLessThanOrEqual(Math.max(depth, 80))
      expect(taken).toBe(Math.max(0, Math.min(count, 80 - depth)))
    }),
  )
})

test('[JOB-8] Retry-After follows the drain rate, within reason', () => {
  expect(retryAfterMs(50, 10)).toBe(5_000)
  expect(retryAfterMs(1, 1_000)).toBe(1_000)
  expect(retryAfterMs(1_000_000, 1)).toBe(60_000)
  expect(retryAfterMs(5, 0)).toBe(60_000)
})

test('[JOB-10] only an outcome is an outcome; all else is an egress that is down', () => {
  expect(verdictOf(200, { outcome: 'done' })).toEqual({ is: 'done' })
  expect(verdictOf(200, { outcome: 'retry', targetDown: true, error: 'refused', retryAfterMs: 5 })).toEqual({
    ...{ is: 'retry', error: 'refused', retryAfterMs: 5, targetDown: true },
  })
  expect(verdictOf(200, { outcome: 'dead' })).toMatchObject({ is: 'dead' })
  expect(verdictOf(202, { outcome: 'accepted' })).toEqual({ is: 'accepted' })
  for (const [status, body] of [
    [200, {}],
    [200, 'done'],
    [200, { outcome: 'maybe' }],
    [500, { outcome: 'done' }],
    [401, { outcome: 'done' }],
    [302, null],
  ] as const)
    expect(verdictOf(status, body).is).toBe('egress-down')
})

test('[JOB-10] while the egress is down waits grow, and one tries first', () => {
  let gate = wasDown(OPEN, 0, 0.999)
  expect(passableAt(gate)).toBeGreaterThan(900)
  // Others that were under way change nothing.
  expect(wasDown(gate, 10, 0.5)).toBe(gate)
  gate = passed(gate)
  expect(passableAt(gate)).toBeNull()
  for (let failures = 0; failures < 40; failures++) gate = passed(wasDown(gate, 0, 0.999))
  expect(passableAt(wasDown(gate, 0, 0.999))).toBeLessThanOrEqual(EGRESS_REST_MAX_MS)
  expect(passableAt(answered(gate))).toBe(0)
})

test('[JOB-3] a job is checked, and routed by what the key function finds', () => {
  const job = { type: 'webhook', payload: { url: 'https://a.example/x' }, idempotencyKey: 'i' }
  const parsed = jobSchema.parse(job)
  expect(parsed).toMatchObject({ priority: 5, payload: '{"url":"https://a.example/x"}' })
  expect(routingKey(parsed, 'target-host')).toBe('a.example')
  expect(routingKey(parsed, 'key')).toBe('i')
  expect(routingKey({ ...parsed, key: 'k' }, 'key')).toBe('k')
  for (const wrong of [
    { ...job, type: 'unknown' },
    { ...job, idempotencyKey: '' },
    { ...job, priority: 10 },
    { ...job, payload: 'x'.repeat(65_536) },
    { ...job, payload: undefined },
    { ...job, extra: 1 },
  ])
    expect(jobSchema.safeParse(wrong).success).toBe(false)
})
