// What the two kinds of objects may be asked.
import type { ConcurrencyManagerConfig } from './core/config.ts'
import type { PlacedJob } from './core/job.ts'
import type { Verdict } from './core/outcome.ts'
import type { Plan } from './core/plan.ts'
import type { PartitionStatus } from './core/status.ts'
import type { Handover } from './handover.ts'
import type { Place, Taken } from './partition.ts'
import type { DeadLetter } from './partition-schema.ts'

/** `null`: it was not told its place yet. */
export type Enqueued = { taken: Taken[]; retryAfterMs: number; version: number } | null
export type PlacementWish = { subject: string; virtual: number; proposal: number }

/** One partition of a project: `<project>/<index>`. */
export interface PartitionRpc extends Rpc.DurableObjectBranded {
  /** How many are being done: a smaller number of slots is reached once it is no more than that. */
  configure(project: string, place: Place): Promise<{ active: number }>
  enqueue(jobs: PlacedJob[], known: boolean): Promise<Enqueued>
  /** Where a subject was put, which is where the first to ask proposed; null while that is not known here. */
  placeAll(wishes: PlacementWish[]): Promise<number[] | null>
  status(): Promise<PartitionStatus | null>
  waitingByVirtual(): Promise<{ virtual: number; count: number }[]>
  settle(token: string, verdict: Verdict): Promise<boolean>
  renew(token: string): Promise<number | null>
  deadLetters(before: number, limit: number): Promise<DeadLetter[]>
  /** Null: all of them. */
  replay(ids: string[] | null): Promise<number>
  discard(ids: string[] | null): Promise<number>
  drain(): Promise<number>
  receive(handover: Handover): Promise<void>
  release(virtual: number, since: number): Promise<void>
}

export type ControlView = {
  plan: Plan
  /** Partitions that ever were: those that are no more may still hold dead letters, or be handing over. */
  everUsed: number
  /** What each may be using at most; differs from the plan while slots move. */
  granted: number[]
  settled: boolean
}

/** Decides where everything is, one for a project: `<project>/control`. */
export interface ControlRpc extends Rpc.DurableObjectBranded {
  view(project: string): Promise<ControlView>
  configure(project: string, config: ConcurrencyManagerConfig): Promise<ControlView>
  /** Moves virtual partitions from full to empty ones; how many. `asked`: by an operator, at any time. */
  rebalance(project: string, asked: boolean): Promise<number>
}
