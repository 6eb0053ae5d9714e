// What a project may set about its jobs, checked as a whole: a configuration under which some job could never run, or an
// order could not be kept, is refused where it is set. Times are in milliseconds.
import { z } from 'zod'
import { MAX_SLOTS_PER_PARTITION, VIRTUAL_PARTITIONS } from './tuning.ts'

export const ROUTINGS = ['round-robin', 'hash', 'affinity', 'random', 'least-loaded'] as const
export const KEY_FUNCTIONS = ['key', 'target-host', 'idempotency-key'] as const
/** What becomes of a job whose partition is over the first mark; `spill` waits in the queue, `shed` is dropped and counted. */
export const STRATEGIES = ['throttle', 'reject', 'spill', 'shed'] as const

export type Routing = (typeof ROUTINGS)[number]
export type KeyFunction = (typeof KEY_FUNCTIONS)[number]
export type Strategy = (typeof STRATEGIES)[number]

const DAY_MS = 86_400_000
const ms = (least: number, most: number) => z.number().int().min(least).max(most)
const share = z.number().gt(0).max(1)

/** Whether what is alike must meet in one place. */
export const byKey = (routing: Routing): boolean => routing === 'hash' || routing === 'affinity'

const retrySchema = z.strictObject({
  maxAttempts: z.number().int().min(1).max(100).default(8),
  backoff: z.enum(['fixed', 'exponential']).default('exponential'),
  baseDelay: ms(0, DAY_MS).default(5_000),
  maxDelay: ms(0, DAY_MS).default(3_600_000),
  /** The share of a delay that is left to chance. */
  jitter: z.number().min(0).max(1).default(0.2),
  /** A job that waited so long, for a target that is down as well, is dead. */
  maxAge: ms(1_000, 30 * DAY_MS).default(3 * DAY_MS),
})

export const configSchema = z
  .strictObject({
    concurrency: z
      .number()
      .int()
      .min(1)
      .max(VIRTUAL_PARTITIONS * MAX_SLOTS_PER_PARTITION)
      .default(4),
    partitions: z.number().int().min(1).max(VIRTUAL_PARTITIONS).default(4),
    routing: z.enum(ROUTINGS).default('round-robin'),
    hashKey: z.enum(KEY_FUNCTIONS).optional(),
    maxQueueDepth: z.number().int().min(1).max(1_000_000).default(10_000),
    backpressureAt: z.strictObject({ slow: share.default(0.8), full: share.default(0.95) }).prefault({}),
    onPressure: z
      .strictObject({
        default: z.enum(STRATEGIES).default('throttle'),
        types: z.record(z.string(), z.enum(STRATEGIES)).default({}),
      })
      .prefault({}),
    intake: z.enum(['direct', 'queue']).default('direct'),
    timeout: ms(10, 600_000).default(30_000),
    retry: retrySchema.prefault({}),
    ordering: z.enum(['none', 'per-key']).default('none'),
    rebalance: z.enum(['manual', 'auto']).default('auto'),
  })
  .superRefine((config, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    const { partitions, concurrency, routing, hashKey, ordering, intake, onPressure, backpressureAt, retry } = config
    if (partitions > concurrency) wrong('partitions', 'a partition beyond concurrency would never run anything')
    if (Math.ceil(concurrency / partitions) > MAX_SLOTS_PER_PARTITION)
      wrong('concurrency', `one partition runs ${MAX_SLOTS_PER_PARTITION} at once; use more partitions`)
    if (byKey(routing) && hashKey === undefined) wrong('hashKey', `${routing} routing needs a key function`)
    if (backpressureAt.slow > backpressureAt.full) wrong('backpressureAt', 'slow must not lie above full')
    if (retry.baseDelay > retry.maxDelay) wrong('retry', 'baseDelay must not be longer than maxDelay')
    if (ordering === 'none') return
    if (routing !== 'hash') wrong('ordering', 'an order per key needs hash routing')
    // The queue gives back messages in any order.
    if (intake === 'queue') wrong('intake', 'the queue keeps no order; use direct')
    if ([onPressure.default, ...Object.values(onPressure.types)].includes('spill'))
      wrong('onPressure', 'the queue keeps no order; spill cannot be used')
  })

export type ConcurrencyManagerConfig = z.infer<typeof configSchema>

/** With which a project begins: what belongs to one target meets in one partition. */
export const DEFAULT_CONFIG: ConcurrencyManagerConfig = configSchema.parse({ routing: 'hash', hashKey: 'key' })

export const strategyFor = ({ onPressure }: ConcurrencyManagerConfig, type: string): Strategy =>
  onPressure.types[type] ?? onPressure.default
