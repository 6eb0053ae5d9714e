// What operators are shown: partitions, the whole, and dead letters.
import type { EgressGate } from './egress-gate.ts'
import type { Figures } from './figures.ts'

export type PartitionStatus = {
  partition: number
  version: number
  slots: number
  active: number
  depth: number
  dead: number
  capacity: number
  oldestAgeMs: number
  donePerSecond: number
  egress: EgressGate['phase']
  /** Virtual partitions that wait for their former owner, and that are on their way to another. */
  arriving: number
  departing: number
  figures: Figures
  /** Of storage, read and written since the object woke. */
  rows: { read: number; written: number }
}

export type JobsStatus = {
  version: number
  settled: boolean
  concurrency: number
  depth: number
  active: number
  dead: number
  imbalance: number
  partitions: PartitionStatus[]
}

export type DeadView = {
  id: string
  partition: number
  type: string
  key: string
  priority: number
  payload: unknown
  idempotencyKey: string
  acceptedAt: number
  failedAt: number
  attempts: number
  lastError: string
}
/** `next`: `before` of the next page, by partition; null at the end. */
export type DeadPage = { letters: DeadView[]; next: { partition: number; before: number } | null }
