// Jobs over HTTP on workerd: what is taken in, what the origin is asked, and what becomes of it.
import { createHash, randomUUID } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { edgeToken, TEST_KEYS, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'
import { DONE, startTestEgress, type TestEgress } from '#scripts/testing/egress.ts'
import type { DispatchResult } from './core/answer.ts'
import type { DeadPage, JobsStatus } from './core/status.ts'
import { dealOwners, virtualPartitionOf } from './core/virtual-partitions.ts'

const PATIENCE = { timeout: 40_000, interval: 50 }
const QUICK = {
  routing: 'hash',
  hashKey: 'key',
  timeout: 2_000,
  retry: { baseDelay: 20, maxDelay: 100, maxAttempts: 3 },
}
let edge: Edge
let egress: TestEgress
let call: EdgeCaller['call']
beforeAll(async () => {
  egress = await startTestEgress()
  const JOBS_CONFIG = JSON.stringify({ ...QUICK, rebalance: 'manual' })
  edge = await startTestEdge({ EDGE_PROJECT_KEYS: TEST_KEYS, EGRESS_URL: egress.url, JOBS_CONFIG })
  call = (await edgeCaller(edge.url)).call
})
afterAll(async () => {
  await edge.stop()
  await egress.stop()
})
beforeEach(() => {
  egress.answer(DONE)
  egress.calls.length = 0
  egress.tokens.length = 0
})

const job = (more: Record<string, unknown> = {}) => ({
  ...{ type: 'webhook', key: 'a.example', payload: { hello: 'there' }, idempotencyKey: randomUUID() },
  ...more,
})
const jobs = (count: number, more: (at: number) => Record<string, unknown> = () => ({})) =>
  Array.from({ length: count }, (_, at) => job(more(at)))
const spread = (count: number) => jobs(count, (at) => ({ key: `host-${at % 97}.example` }))
async function handIn(list: unknown, expected = 202): Promise<DispatchResult> {
  const answer = await call('POST', 'jobs', list)
  expect(answer.status).toBe(expected)
  return (await answer.json()) as DispatchResult
}
async function configure(config: Record<string, unknown>): Promise<void> {
  const answer = await call('PUT', 'jobs/config', { ...QUICK, rebalance: 'manual', ...config })
  expect(await answer.clone().text()).not.toContain('error')
  const settled = async () => ((await (await call('GET', 'jobs/config')).json()) as { settled: boolean }).settled
  await expect.poll(settled, PATIENCE).toBe(true)
}
const dead = async () => (await (await call('GET', 'jobs/dead')).json()) as DeadPage
const called = () => egress.calls.map(({ idempotencyKey }) => idempotencyKey)
/** From the figures, which are of this moment; the status may be five seconds old. */
async function unfinished(): Promise<number> {
  const text = await (await fetch(`${edge.url}/metrics`)).text()
  const lines = text.matchAll(/^jobs_(?:queue_depth|active)\{.*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}
const idle = () => expect.poll(unfinished, PATIENCE).toBe(0)

describe('[JOB-3] handing in', () => {
  test('a job reaches the origin once, with a token that only the origin takes', async () => {
    const one = job()
    expect(await handIn([one])).toMatchObject({ queued: 1, rejected: 0, duplicates: 0, backpressure: null })
    expect(await handIn([one, one])).toMatchObject({ queued: 0, duplicates: 2 })
    await expect.poll(called, PATIENCE).toEqual([one.idempotencyKey])
    expect(egress.calls[0]).toMatchObject({
      ...{ jobId: expect.stringMatching(/^\d-\d+$/), type: 'webhook', attempt: 1, payload: { hello: 'there' } },
    })
    const token = egress.tokens[0]!.slice('Bearer '.length)
    const key = JSON.parse(TEST_KEYS)[TEST_PROJECT].keys[0].k
    const { payload } = await jwtVerify(token, Buffer.from(key, 'base64url'), { audience: 'signal-feed-origin' })
    expect(payload).toMatchObject({ project: TEST_PROJECT, scope: 'egress' })
    expect(payload.exp! - Date.now() / 1_000).toBeLessThan(121)
    const asWriter = await call('GET', 'jobs/status', undefined, { Authorization: `Bearer ${token}` })
    expect(asWriter.status).toBe(401)
  })

  test('what is not a job is refused as a whole, by its place', async () => {
    const refusals: [unknown, string][] = [
      [{}, 'the body'],
      [[], 'the body'],
      [[job(), job({ type: 'nothing' })], '1.type'],
      [[job({ idempotencyKey: undefined })], '0.idempotencyKey'],
      [[job({ payload: 'x'.repeat(70_000) })], '0.payload'],
      [jobs(1_001), 'the body'],
    ]
    for (const [body, place] of refusals) {
      const answer = await call('POST', 'jobs', body)
      expect(answer.status).toBe(400)
      expect(((await answer.json()) as { error: string }).error).toMatch(new RegExp(`^${place}`))
    }
    const none = { Authorization: '' }
    expect((await call('POST', 'jobs', [job()], none)).status).toBe(401)
    const reader = { Authorization: `Bearer ${await edgeToken({ scope: 'read', stream: `session:${randomUUID()}` })}` }
    expect((await call('POST', 'jobs', [job()], reader)).status).toBe(403)
    expect((await call('DELETE', 'jobs')).status).toBe(404)
    expect(called()).toEqual([])
  })

  test.each(['round-robin', 'random', 'least-loaded', 'affinity'])(
    '%s: each job once, over several partitions',
    async (routing) => {
      await configure({ routing })
      const list = spread(60)
      const { queued, byPartition } = await handIn(list)
      expect(queued).toBe(60)
      expect(Object.keys(byPartition).length).toBeGreaterThan(1)
      // Sent again, whatever the turn is now, it comes to the same place.
      expect(await handIn(list)).toMatchObject({ queued: 0, duplicates: 60 })
      await idle()
      expect(called().toSorted()).toEqual(list.map(({ idempotencyKey }) => idempotencyKey).toSorted())
      await configure({})
    },
  )

  test('through the queue: accepted at once, done once', async () => {
    await configure({ intake: 'queue' })
    const list = spread(150)
    expect(await handIn(list)).toMatchObject({ queued: 150 })
    expect(await handIn(list)).toMatchObject({ queued: 150 })
    await expect.poll(() => new Set(called()).size, PATIENCE).toBe(150)
    await idle()
    expect(called()).toHaveLength(150)
    await configure({})
  })
})

describe('[JOB-6] what fails', () => {
  test('comes again, and is dead in the end; replayed it has a new life, discarded it is gone', async () => {
    egress.answer(({ payload }) =>
      payload.poison ? { outcome: 'retry', error: 'no such place' } : { outcome: 'done' },
    )
    const [poison, other] = [job({ payload: { poison: true } }), job({ payload: { poison: true }, key: 'b.example' })]
    await handIn([poison, other, ...jobs(5)])
    await expect.poll(async () => (await dead()).letters.length, PATIENCE).toBe(2)
    const { letters } = await dead()
    const letter = letters.find(({ idempotencyKey }) => idempotencyKey === poison.idempotencyKey)!
    expect(letter).toMatchObject({
      attempts: 3,
      lastError: 'no such place',
      payload: { poison: true },
      key: 'a.example',
    })
    expect(called().filter((key) => key === poison.idempotencyKey)).toHaveLength(3)
    egress.answer(DONE)
    expect(await (await call('POST', 'jobs/dead/replay', { ids: [letter.id] })).json()).toEqual({ replayed: 1 })
    await expect.poll(() => egress.calls.at(-1), PATIENCE).toMatchObject({ jobId: letter.id, attempt: 1 })
    expect(await (await call('POST', 'jobs/dead/discard', { all: true })).json()).toEqual({ discarded: 1 })
    expect((await dead()).letters).toEqual([])
    await idle()
  })

  test('what waits can be drained, and is counted as that', async () => {
    await handIn(jobs(20, () => ({ runAt: Date.now() + 3_600_000 })))
    expect(await (await call('POST', 'jobs/drain')).json()).toEqual({ drained: 20 })
    expect(called()).toEqual([])
    expect(await (await fetch(`${edge.url}/metrics`)).text()).toMatch(/jobs_drained_total\{.*\} 20/)
  })
})

describe('[JOB-5] leases', () => {
  test('an origin that takes its time renews and completes by its token; after that nobody is heard', async () => {
    egress.answer(() => ({ status: 202, body: { outcome: 'accepted' } }))
    await handIn([job()])
    await expect.poll(() => egress.calls.length, PATIENCE).toBe(1)
    const { leaseToken: token } = egress.calls[0]!
    expect(await (await call('POST', 'jobs/renew', { token })).json()).toEqual({ leaseUntil: expect.any(Number) })
    expect((await call('POST', 'jobs/complete', { token, outcome: 'done' })).status).toBe(204)
    expect((await call('POST', 'jobs/complete', { token, outcome: 'done' })).status).toBe(409)
    expect((await call('POST', 'jobs/renew', { token })).status).toBe(409)
    expect((await call('POST', 'jobs/complete', { token: 'made-up', outcome: 'done' })).status).toBe(409)
    await idle()
  })
})

describe('[JOB-10] the egress', () => {
  test('while it is down jobs wait and lose no attempt', async () => {
    let down = true
    egress.answer(() => (down ? { status: 503 } : { outcome: 'done' }))
    const list = jobs(5)
    await handIn(list)
    await expect.poll(() => egress.calls.length, PATIENCE).toBeGreaterThan(1)
    down = false
    await idle()
    const last = new Map(egress.calls.map(({ idempotencyKey, attempt }) => [idempotencyKey, attempt]))
    expect([...last.values()]).toEqual([1, 1, 1, 1, 1])
    expect((await dead()).letters).toEqual([])
  })
})

describe('[JOB-8] pressure', () => {
  test('over the mark 429 with Retry-After; what was taken stays taken, what was not may come again', async () => {
    let finish = () => {}
    const open = new Promise<void>((resolve) => {
      finish = resolve
    })
    egress.answer(async () => {
      await open
      return { outcome: 'done' }
    })
    await configure({ concurrency: 1, partitions: 1, maxQueueDepth: 10, timeout: 30_000 })
    const list = jobs(15)
    const answer = await call('POST', 'jobs', list)
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    const result = (await answer.json()) as DispatchResult
    expect(result).toMatchObject({ queued: 8, rejected: 7, backpressure: { level: 'slow' } })
    expect(result.rejections[0]).toMatchObject({ index: 8, idempotencyKey: list[8]!.idempotencyKey })
    finish()
    await idle()
    expect(await handIn(list)).toMatchObject({ queued: 7, duplicates: 8 })
    await idle()
    expect(new Set(called()).size).toBe(15)
  })

  test('spilling waits in the queue, shedding drops and says so', async () => {
    egress.answer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return { outcome: 'done' }
    })
    const tight = { concurrency: 1, partitions: 1, maxQueueDepth: 10 }
    await configure({ ...tight, onPressure: { types: { webhook: 'spill' } } })
    expect(await handIn(jobs(15))).toMatchObject({ queued: 15, rejected: 0 })
    await expect.poll(() => new Set(called()).size, PATIENCE).toBe(15)
    await configure({ ...tight, onPressure: { types: { webhook: 'shed' } } })
    const { queued, shed } = await handIn(jobs(40))
    expect(queued).toBeLessThan(40)
    expect(queued + shed).toBe(40)
    await idle()
    await configure({})
  })
})

describe('[JOB-1] the limit', () => {
  test('is never exceeded at the target, also while it is changed', async () => {
    egress.answer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 3 + Math.random() * 10))
      return { outcome: 'done' }
    })
    await configure({ concurrency: 10, partitions: 4 })
    egress.forgetMost()
    const list = spread(450)
    await handIn(list)
    await expect.poll(() => egress.calls.length, PATIENCE).toBeGreaterThan(100)
    expect(egress.mostAtOnce()).toBeLessThanOrEqual(10)
    const slots = async () => ((await (await call('GET', 'jobs/config')).json()) as { slots: number[] }).slots
    expect(await slots()).toEqual([3, 3, 2, 2])
    await configure({ concurrency: 3, partitions: 2 })
    egress.forgetMost()
    expect(egress.mostAtOnce()).toBeLessThanOrEqual(3)
    const before = egress.calls.length
    await expect.poll(() => egress.calls.length, PATIENCE).toBeGreaterThan(Math.min(before + 60, 449))
    expect(egress.mostAtOnce()).toBeLessThanOrEqual(3)
    await configure({ concurrency: 12, partitions: 6 })
    await idle()
    expect(egress.mostAtOnce()).toBeLessThanOrEqual(12)
    expect(called().toSorted()).toEqual(list.map(({ idempotencyKey }) => idempotencyKey).toSorted())
    await configure({})
  })

  test('a configuration under which jobs would never run is refused', async () => {
    const answer = await call('PUT', 'jobs/config', { concurrency: 2, partitions: 3 })
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { error: string }).error).toMatch(/^partitions/)
  })
})

describe('[JOB-9] a hot partition', () => {
  test('is seen, and relieved by moving virtual partitions; nothing is lost or doubled', async () => {
    // A project of its own, whose plan is still the first.
    const post = async (path: string, body?: unknown) => {
      const answer = await fetch(`${edge.url}/v1/default/jobs${path}`, {
        method: 'POST',
        body: JSON.stringify(body) ?? null,
      })
      return answer.json() as Promise<Record<string, unknown>>
    }
    const shown = async () => (await (await fetch(`${edge.url}/v1/default/jobs/status`)).json()) as JobsStatus
    const owners = dealOwners([], 4)
    const isHot = (key: string) => owners[virtualPartitionOf(createHash('sha256').update(key).digest())] === 0
    const keys = Array.from({ length: 400 }, (_, at) => `host-${at}.example`).filter(isHot)
    const runAt = Date.now() + 3_600_000
    const hot = keys.map((key) => job({ key, runAt }))
    expect(await post('', hot)).toMatchObject({ queued: keys.length, byPartition: { 0: { queued: keys.length } } })
    await expect.poll(async () => (await shown()).imbalance, PATIENCE).toBeGreaterThan(5)
    expect((await post('/rebalance')).moved).toBeGreaterThan(4)
    await expect.poll(async () => (await shown()).imbalance, PATIENCE).toBeLessThan(2)
    expect((await shown()).depth).toBe(keys.length)
    expect(await post('/drain')).toEqual({ drained: keys.length })
  })
})

describe('[JOB-11] counted', () => {
  test('every figure, per partition, in the words of Prometheus', async () => {
    const text = await (await fetch(`${edge.url}/metrics`)).text()
    for (const name of ['queue_depth', 'active', 'oldest_age_seconds'])
      expect(text).toMatch(new RegExp(`^jobs_${name}\\{project="acme",partition="0"\\} [\\d.]+$`, 'm'))
    for (const name of ['enqueued', 'done', 'failed', 'dead', 'retries', 'rejected', 'throttled', 'shed'])
      expect(text).toMatch(new RegExp(`^jobs_${name}_total\\{project="acme",partition="0"\\} \\d+$`, 'm'))
    expect(text).toMatch(/^jobs_processing_seconds_bucket\{project="acme",partition="0",le="60"\} \d+$/m)
    expect(text).toMatch(/^jobs_partition_imbalance_ratio\{project="acme"\} [\d.]+$/m)
    expect(text).toMatch(/^edge_worker_up\{worker="jobs"\} 1$/m)
  })
})
