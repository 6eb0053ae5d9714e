// What became of a request, put together from what became of each job.
import type { Admission } from './admission.ts'
import type { JobInput } from './job.ts'

/** `moved`: its place was not settled in time. `unreachable`: nobody knows; sending it again is safe. */
export type Fate = Exclude<Admission, 'take'> | 'queued' | 'duplicate' | 'moved' | 'unreachable'
export type Placed = { partition: number | null; fate: Fate }

export type DispatchResult = {
  queued: number
  duplicates: number
  rejected: number
  shed: number
  byPartition: Record<string, { queued: number; rejected: number }>
  backpressure: { level: 'slow' | 'full'; retryAfterMs: number } | null
  rejections: { index: number; idempotencyKey: string; reason: string }[]
}

const REASONS: Partial<Record<Fate, string>> = {
  slow: 'its partition is nearly full',
  full: 'its partition is full',
  moved: 'its partition is being moved',
  unreachable: 'its partition did not answer',
}
const MOVED_RETRY_MS = 1_000

export function putTogether(jobs: readonly JobInput[], fates: readonly Placed[], retryAfterMs: number): DispatchResult {
  const byPartition: DispatchResult['byPartition'] = {}
  const rejections: DispatchResult['rejections'] = []
  const of = (...wanted: Fate[]) => fates.filter(({ fate }) => wanted.includes(fate)).length
  for (const [index, { partition, fate }] of fates.entries()) {
    const reason = REASONS[fate]
    if (reason !== undefined) rejections.push({ index, idempotencyKey: jobs[index]!.idempotencyKey, reason })
    if (partition === null) continue
    byPartition[partition] ??= { queued: 0, rejected: 0 }
    if (fate === 'queued' || fate === 'spill') byPartition[partition].queued++
    else if (reason !== undefined) byPartition[partition].rejected++
  }
  const level = of('full', 'moved', 'unreachable') > 0 ? 'full' : of('slow') > 0 ? 'slow' : null
  const pressed = of('full', 'slow') > 0
  return {
    ...{ queued: of('queued', 'spill'), duplicates: of('duplicate'), rejected: rejections.length, shed: of('shed') },
    byPartition,
    backpressure: level === null ? null : { level, retryAfterMs: pressed ? retryAfterMs : MOVED_RETRY_MS },
    rejections,
  }
}

export const statusOf = ({ backpressure }: DispatchResult): 202 | 429 | 503 =>
  backpressure === null ? 202 : backpressure.level === 'slow' ? 429 : 503
