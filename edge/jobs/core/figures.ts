// What a partition counts. Kept beside the jobs in the same transaction, so that sleep and restarts lose nothing.

export const COUNTERS = [
  ...(['enqueued', 'duplicates', 'done', 'failed', 'retries', 'dead', 'rejected', 'throttled', 'shed'] as const),
  ...(['spilled', 'drained', 'leasesLost', 'deadDropped', 'replayed', 'discarded'] as const),
] as const
export type Counter = (typeof COUNTERS)[number]

/** Seconds; finite bounds beyond the limits that alerts ask about (5 s and 30 s). */
export const PROCESSING_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600] as const

export type Figures = {
  counters: Record<Counter, number>
  processing: { buckets: number[]; sum: number; count: number }
}

export const noFigures = (): Figures => ({
  counters: Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<Counter, number>,
  processing: { buckets: PROCESSING_BUCKETS.map(() => 0), sum: 0, count: 0 },
})

/** Those kept by an earlier release may lack what was added since. */
export const completed = (kept: Figures | null): Figures =>
  kept === null ? noFigures() : { ...kept, counters: { ...noFigures().counters, ...kept.counters } }

export function observeProcessing({ processing }: Figures, elapsedMs: number): void {
  const seconds = elapsedMs / 1_000
  processing.sum += seconds
  processing.count += 1
  for (const [at, bound] of PROCESSING_BUCKETS.entries()) if (seconds <= bound) processing.buckets[at]! += 1
}

const RATE_WINDOW_MS = 10_000

/** How many a second, of late: a count that fades. */
export type Rate = { weight: number; at: number }
export const NO_RATE: Rate = { weight: 0, at: 0 }

const faded = ({ weight, at }: Rate, now: number): number => weight * Math.exp(-Math.max(0, now - at) / RATE_WINDOW_MS)
export const counted = (rate: Rate, now: number): Rate => ({ weight: faded(rate, now) + 1, at: now })
export const perSecond = (rate: Rate, now: number): number => faded(rate, now) / (RATE_WINDOW_MS / 1_000)
