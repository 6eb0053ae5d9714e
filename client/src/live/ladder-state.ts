// What is known of all ways of being live. Apart from the machine that climbs them (ladder.ts), which is loaded after the first page.
import type { PollingSchedule } from '#shared/polling-schedule.ts'
import { ABSENT, NEW_RUNG, type Rung } from './rung-state.ts'

export const RUNGS = ['edge', 'server'] as const
export type RungName = (typeof RUNGS)[number]

/** The log beats every 15 s; after three missed beats we say so, and ask besides listening: answers need no log. */
export const BEAT_EVERY_MS = 15_000
export const LEAVE_AFTER_MS = 45_000

/** A better way that is just being opened gets so long before the next one is opened beside it. */
export const PATIENCE_MS = 2_000

export type LastPoll = { at: number; found: number }

export type Ladder = {
  /** Why nothing is tried: not started yet, no network, no session. */
  rest: null | { why: 'not-started' } | { why: 'offline'; since: number } | { why: 'signed-out' }
  hidden: boolean
  rungs: Record<RungName, Rung>
  polling: PollingSchedule
  lastPoll: LastPoll | null
  /** The way by which everything has come so far; null before anything has. */
  inUse: RungName | 'polling' | null
  /** On the way to another one. `asked`: the poll that closes the gap is under way, or was and failed. */
  seam: { to: RungName; asked: boolean } | null
}

export const NEW_LADDER: Ladder = {
  rest: { why: 'not-started' },
  hidden: false,
  rungs: { edge: { ...NEW_RUNG, link: ABSENT }, server: NEW_RUNG },
  polling: { phase: 'idle' },
  lastPoll: null,
  inUse: null,
  seam: null,
}

export const isUsable = ({ link }: Rung, now: number): boolean =>
  link.phase === 'up' && link.heardAt !== null && now - link.beatAt < LEAVE_AFTER_MS
