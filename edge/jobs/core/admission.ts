// How many of a batch a partition takes. Everything goes in up to the first mark. Beyond it a job's strategy counts: it is
// put off, spilled to the queue or shed; `reject` alone goes on up to the second mark. What was accepted before (it comes
// from the queue) has the room above.
import { type ConcurrencyManagerConfig, type Strategy, strategyFor } from './config.ts'

export type Admission = 'take' | 'slow' | 'full' | 'spill' | 'shed'
export type Capacity = Pick<ConcurrencyManagerConfig, 'maxQueueDepth' | 'backpressureAt' | 'onPressure'>

export function marks({ maxQueueDepth, backpressureAt: { slow, full } }: Capacity) {
  // At least one, or the smallest queue would take nothing.
  return { slow: Math.max(1, Math.floor(maxQueueDepth * slow)), full: Math.max(1, Math.floor(maxQueueDepth * full)) }
}

/** `depth`: what waits already. */
export function admit(depth: number, strategy: Strategy, capacity: Capacity): Admission {
  const { slow, full } = marks(capacity)
  if (depth < slow) return 'take'
  if (strategy === 'spill' || strategy === 'shed') return strategy
  if (depth >= full) return 'full'
  return strategy === 'reject' ? 'take' : 'slow'
}

/** In the order given, each seeing what those before it left. */
export function admitAll(
  types: readonly string[],
  depth: number,
  config: Capacity & ConcurrencyManagerConfig,
): Admission[] {
  let waiting = depth
  return types.map((type) => {
    const admission = admit(waiting, strategyFor(config, type), config)
    if (admission === 'take') waiting++
    return admission
  })
}

const RETRY_AFTER_MIN_MS = 1_000
const RETRY_AFTER_MAX_MS = 60_000

/** When `excess` jobs will have gone, by the rate at which they go at present. */
export function retryAfterMs(excess: number, donePerSecond: number): number {
  if (donePerSecond <= 0) return RETRY_AFTER_MAX_MS
  const wait = Math.ceil((Math.max(1, excess) / donePerSecond) * 1_000)
  return Math.min(RETRY_AFTER_MAX_MS, Math.max(RETRY_AFTER_MIN_MS, wait))
}
