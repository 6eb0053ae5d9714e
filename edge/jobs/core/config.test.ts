import { expect, test } from 'vitest'
import { configSchema, DEFAULT_CONFIG, strategyFor } from './config.ts'

const problem = (config: unknown) => configSchema.safeParse(config).error?.issues[0]

test('[JOB-2] what is left out has its default', () => {
  expect(DEFAULT_CONFIG).toMatchObject({
    ...{ concurrency: 4, partitions: 4, routing: 'hash', maxQueueDepth: 10_000, timeout: 30_000, ordering: 'none' },
    ...{ backpressureAt: { slow: 0.8, full: 0.95 }, retry: { maxAttempts: 8, backoff: 'exponential' } },
  })
})

test.each([
  ['more partitions than slots', { concurrency: 3, partitions: 4 }, 'partitions'],
  ['more slots than a partition can use', { concurrency: 25, partitions: 4 }, 'concurrency'],
  ['hash routing without a key function', { routing: 'hash' }, 'hashKey'],
  ['affinity without a key function', { routing: 'affinity' }, 'hashKey'],
  ['an unknown routing', { routing: 'nearest' }, 'routing'],
  ['marks in the wrong order', { backpressureAt: { slow: 0.9, full: 0.5 } }, 'backpressureAt'],
  ['a first delay beyond the longest', { retry: { baseDelay: 10, maxDelay: 5 } }, 'retry'],
  ['an order without hash routing', { ordering: 'per-key', routing: 'random' }, 'ordering'],
  ['an order through the queue', { ordering: 'per-key', routing: 'hash', hashKey: 'key', intake: 'queue' }, 'intake'],
  [
    'an order with spilling',
    { ordering: 'per-key', routing: 'hash', hashKey: 'key', onPressure: { types: { webhook: 'spill' } } },
    'onPressure',
  ],
  ['half a slot', { concurrency: 4.5 }, 'concurrency'],
  ['no time at all', { timeout: 0 }, 'timeout'],
])('[JOB-2] %s is refused where it is set', (_, config, field) => {
  expect(problem(config)?.path[0]).toBe(field)
})

test('[JOB-2] a misspelt setting is refused, not ignored', () => {
  expect(problem({ concurency: 9 })?.code).toBe('unrecognized_keys')
})

test('[JOB-8] a strategy may be set for one type', () => {
  const config = configSchema.parse({ onPressure: { default: 'reject', types: { webhook: 'shed' } } })
  expect(strategyFor(config, 'webhook')).toBe('shed')
  expect(strategyFor(config, 'other')).toBe('reject')
})
