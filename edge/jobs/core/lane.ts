// A lane is what waits under one key. Lanes take turns, so that none of them fills the slots; inside a lane the job that
// waited longest goes first, a step of priority counting as so much waiting. All of it is a number that does not change
// while time passes, so it can be an index: who waits longest only ever gains on those who come after.
import { AGEING_MS, MAX_DEBT_MS, TURN_MS } from './tuning.ts'

const MOST_URGENT = 9

/** The smaller the sooner. */
export const rankOf = (dueAt: number, priority: number): number => dueAt + (MOST_URGENT - priority) * AGEING_MS

/** The moment from which a lane counts as waiting: each job it was given puts it back, but never far. */
export const debtAfterTurn = (debt: number, now: number): number =>
  Math.min(Math.max(debt, now) + TURN_MS, now + MAX_DEBT_MS)

export type Head = { dueAt: number; priority: number }

export type LaneView = {
  /** The job that would go next, if one is ready or, under order, waits for its retry. */
  head: Head | null
  /** When the first delayed one becomes ready. */
  nextDueAt: number | null
  active: number
  debt: number
  ordered: boolean
  /** Until when the breaker holds it; null while only an outcome can tell; 0 when it does not. */
  heldUntil: number | null
}

export type LaneState =
  /** Looked at again when a delayed job, which may be more urgent, is due. */
  | { is: 'ready'; turn: number; wakeAt: number | null }
  /** Null: nothing but an event of its own wakes it. */
  | { is: 'asleep'; wakeAt: number | null }
  | { is: 'empty' }

export function laneState({ head, nextDueAt, active, debt, ordered, heldUntil }: LaneView, now: number): LaneState {
  if (head === null && nextDueAt === null) return active > 0 ? { is: 'asleep', wakeAt: null } : { is: 'empty' }
  // Under order the next one begins when the one before it has ended.
  if (ordered && active > 0) return { is: 'asleep', wakeAt: null }
  if (heldUntil === null) return { is: 'asleep', wakeAt: null }
  if (heldUntil > now) return { is: 'asleep', wakeAt: heldUntil }
  if (head === null) return { is: 'asleep', wakeAt: nextDueAt }
  if (head.dueAt > now) return { is: 'asleep', wakeAt: head.dueAt }
  return { is: 'ready', turn: rankOf(Math.max(head.dueAt, debt), head.priority), wakeAt: nextDueAt }
}
