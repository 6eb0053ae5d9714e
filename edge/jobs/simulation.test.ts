import { expect, test } from 'vitest'
import { simulate } from './testing/simulate.ts'

/** A hundred thousand of them are `npm run bench -- jobs`. */
const JOBS = 1_500
const LIMIT_MS = 60_000
const QUICK = { baseDelay: 20, maxDelay: 200, maxAttempts: 6 }
const HASH = { concurrency: 10, partitions: 4, routing: 'hash', hashKey: 'key', timeout: 500, retry: QUICK }
const RESIZES = [
  { ...HASH, concurrency: 4, partitions: 2 },
  { ...HASH, concurrency: 12, partitions: 6 },
  { ...HASH, concurrency: 3, partitions: 3 },
]

test.each([1, 2])(
  '[JOB-12] random faults: every accepted job ends once, the limit holds (seed %i)',
  (seed) => {
    const { accepted, done, dead, ...result } = simulate({ jobs: JOBS, seed, config: HASH })
    expect(accepted).toBe(JOBS)
    expect(done + dead).toBe(JOBS)
    expect(result).toMatchObject({ overLimit: expect.toSatisfy((over) => over <= 0), finishedTwice: 0 })
    expect(result.restarts).toBeGreaterThan(0)
    expect(result.refusedLate).toBeGreaterThan(0)
  },
  LIMIT_MS,
)

test.each([4, 5])(
  '[JOB-1] the limit holds while slots and partitions change under faults (seed %i)',
  (seed) => {
    const { accepted, done, dead, ...result } = simulate({ jobs: JOBS, seed, config: HASH, changes: RESIZES })
    expect(done + dead).toBe(accepted)
    expect(accepted).toBe(JOBS)
    expect(result).toMatchObject({ overLimit: expect.toSatisfy((over) => over <= 0), finishedTwice: 0 })
    expect(result.moves).toBeGreaterThan(3)
  },
  LIMIT_MS,
)

test.each([7, 8])(
  '[JOB-3] the order of each key holds under faults, retries and moves (seed %i)',
  (seed) => {
    const ordered = { ordering: 'per-key' }
    const { accepted, done, dead, ...result } = simulate({
      ...{ jobs: JOBS, seed, config: { ...HASH, ...ordered }, keys: 40 },
      changes: RESIZES.map((config) => ({ ...config, ...ordered })),
    })
    expect(done + dead).toBe(accepted)
    expect(accepted).toBe(JOBS)
    expect(result).toMatchObject({ outOfOrder: 0, finishedTwice: 0, overLimit: expect.toSatisfy((over) => over <= 0) })
  },
  LIMIT_MS,
)
