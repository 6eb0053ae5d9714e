// What travels: paths, messages of the queue, answers, figures.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Placed, putTogether, statusOf } from './answer.ts'
import { completed, noFigures, observeProcessing } from './figures.ts'
import type { JobInput, PlacedJob } from './job.ts'
import { jobsMetricsText } from './metrics-text.ts'
import { packMessages } from './queue-messages.ts'
import { parseJobsRoute } from './route.ts'

const job = (name: string, payload = '{}'): PlacedJob => ({
  ...{ type: 'webhook', key: 'k', payload, idempotencyKey: name, priority: 5, virtual: 0 },
})

test('[JOB-3] paths that mean something, and nothing else', () => {
  expect(parseJobsRoute('POST', '/v1/feed/jobs')).toEqual({ project: 'feed', action: 'hand-in' })
  expect(parseJobsRoute('POST', '/v1/feed/jobs/dead/replay')).toEqual({ project: 'feed', action: 'replay-dead' })
  const nothing = [
    ['GET', '/v1/feed/jobs'],
    ['POST', '/v1/feed/jobs/'],
    ['POST', '/v1/stream/jobs'],
    ['POST', '/v1/a/b/jobs'],
  ]
  for (const [method, path] of nothing) expect(parseJobsRoute(method!, path!)).toBeNull()
})

test('[JOB-3] messages of the queue hold every job once, in order, within the limits of the platform', () => {
  const sizes = fc.array(fc.record({ partition: fc.nat(3), bytes: fc.nat(60_000) }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(sizes, (wanted) => {
      const all = wanted.map(({ partition, bytes }, at) => ({
        partition,
        job: job(`job-${at}`, `"${'x'.repeat(bytes)}"`),
      }))
      const groups = [...Map.groupBy(all, ({ partition }) => partition)]
      const placed = groups.map(([partition, lots]) => ({ partition, jobs: lots.map((lot) => lot.job) }))
      const calls = packMessages(placed)
      for (const call of calls) {
        expect(call.length).toBeLessThanOrEqual(100)
        expect(JSON.stringify(call).length).toBeLessThanOrEqual(256_000)
        for (const message of call) expect(JSON.stringify(message).length).toBeLessThanOrEqual(128_000)
      }
      for (const { partition, jobs } of placed) {
        const sent = calls.flat().filter((message) => message.partition === partition)
        expect(sent.flatMap((message) => message.jobs)).toEqual(jobs)
      }
    }),
    { numRuns: 30 },
  )
})

test('[JOB-8] an answer says what was taken and what was not, and its status when to come again', () => {
  const jobs: JobInput[] = ['a', 'b', 'c', 'd', 'e'].map((name) => job(name))
  const at = (fate: Placed['fate'], partition: number | null = 0): Placed => ({ partition, fate })
  const mixed = putTogether(jobs, [at('queued'), at('duplicate'), at('slow', 1), at('shed'), at('spill', 1)], 3_000)
  expect(mixed).toMatchObject({
    ...{ queued: 2, duplicates: 1, rejected: 1, shed: 1, backpressure: { level: 'slow', retryAfterMs: 3_000 } },
    byPartition: { 0: { queued: 1, rejected: 0 }, 1: { queued: 1, rejected: 1 } },
    rejections: [{ index: 2, idempotencyKey: 'c' }],
  })
  expect(statusOf(mixed)).toBe(429)
  expect(statusOf(putTogether(jobs.slice(0, 2), [at('slow'), at('full')], 1))).toBe(503)
  expect(statusOf(putTogether(jobs.slice(0, 1), [at('moved', null)], 0))).toBe(503)
  expect(statusOf(putTogether(jobs.slice(0, 1), [at('shed')], 0))).toBe(202)
})

test('[JOB-11] figures have finite bounds beyond the limits of the alerts, and begin at zero', () => {
  const figures = noFigures()
  observeProcessing(figures, 45_000)
  const one = {
    partition: 0,
    slots: 1,
    active: 0,
    depth: 2,
    dead: 0,
    oldestAgeMs: 1_500,
    figures,
    rows: { read: 1, written: 2 },
  }
  const text = jobsMetricsText([{ project: 'feed', imbalance: 1, partitions: [one] }])
  expect(text).toContain('jobs_processing_seconds_bucket{project="feed",partition="0",le="30"} 0\n')
  expect(text).toContain('jobs_processing_seconds_bucket{project="feed",partition="0",le="60"} 1\n')
  expect(text).toContain('jobs_dead_total{project="feed",partition="0"} 0\n')
  expect(text).toContain('jobs_oldest_age_seconds{project="feed",partition="0"} 1.5\n')
  const older = { ...figures, counters: { done: 3 } as typeof figures.counters }
  expect(completed(older).counters).toMatchObject({ done: 3, spilled: 0 })
})
