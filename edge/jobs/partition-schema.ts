// The tables of a partition, and what is in them.
import type { CircuitBreaker } from '#shared/circuit-breaker.ts'

/** `leaving`: to be handed to another partition. `held`: of a virtual partition whose former owner has not let go. */
export const STATE = { delayed: 0, ready: 1, processing: 2, leaving: 3, held: 4 } as const
export type JobState = (typeof STATE)[keyof typeof STATE]

export const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS jobs (
     n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, idem TEXT NOT NULL, type TEXT NOT NULL, lane TEXT NOT NULL,
     virtual INTEGER NOT NULL, gen INTEGER NOT NULL, ord INTEGER NOT NULL, priority INTEGER NOT NULL,
     payload TEXT NOT NULL, accepted_at INTEGER NOT NULL, state INTEGER NOT NULL, due_at INTEGER NOT NULL, rank INTEGER NOT NULL,
     attempts INTEGER NOT NULL, started_at INTEGER, stalled_at INTEGER, token TEXT, lease_until INTEGER, error TEXT)`,
  'CREATE INDEX IF NOT EXISTS jobs_ready ON jobs (lane, rank, ord) WHERE state = 1',
  'CREATE INDEX IF NOT EXISTS jobs_delayed ON jobs (lane, due_at) WHERE state = 0',
  'CREATE INDEX IF NOT EXISTS jobs_leased ON jobs (lease_until) WHERE state = 2',
  'CREATE INDEX IF NOT EXISTS jobs_leaving ON jobs (virtual, gen, n) WHERE state = 3',
  'CREATE INDEX IF NOT EXISTS jobs_held ON jobs (virtual, idem) WHERE state = 4',
  `CREATE TABLE IF NOT EXISTS lanes (
     lane TEXT PRIMARY KEY, active INTEGER NOT NULL, ready INTEGER NOT NULL, wake_at INTEGER, turn INTEGER NOT NULL,
     debt INTEGER NOT NULL, breaker TEXT) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS lanes_ready ON lanes (turn) WHERE ready = 1',
  'CREATE INDEX IF NOT EXISTS lanes_wake ON lanes (wake_at) WHERE wake_at IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS seen (
     idem TEXT PRIMARY KEY, virtual INTEGER NOT NULL, gen INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS seen_until ON seen (until)',
  `CREATE TABLE IF NOT EXISTS placements (
     subject TEXT PRIMARY KEY, virtual INTEGER NOT NULL, partition INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS placements_until ON placements (until)',
  `CREATE TABLE IF NOT EXISTS dead (
     n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, idem TEXT NOT NULL, type TEXT NOT NULL, lane TEXT NOT NULL,
     virtual INTEGER NOT NULL, priority INTEGER NOT NULL, payload TEXT NOT NULL, accepted_at INTEGER NOT NULL,
     attempts INTEGER NOT NULL, failed_at INTEGER NOT NULL, error TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS moves (
     virtual INTEGER NOT NULL, since INTEGER NOT NULL, own_since INTEGER NOT NULL, taker INTEGER NOT NULL,
     PRIMARY KEY (virtual, since)) WITHOUT ROWID`,
  'CREATE TABLE IF NOT EXISTS released (virtual INTEGER PRIMARY KEY, since INTEGER NOT NULL)',
  'CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
]

/** What a job is wherever it goes. */
export type Carried = {
  id: string
  idem: string
  type: string
  lane: string
  virtual: number
  /** Its place among those of its virtual partition: the generation of the owner that accepted it, and the number there. */
  gen: number
  ord: number
  priority: number
  payload: string
  acceptedAt: number
  dueAt: number
  attempts: number
}
export type NewJob = Carried & { state: JobState; rank: number }
export type StoredJob = Carried & {
  n: number
  state: JobState
  startedAt: number | null
  stalledAt: number | null
  token: string | null
  leaseUntil: number | null
}
export type Seen = { idem: string; virtual: number; gen: number; until: number }
export type Placement = { subject: string; virtual: number; partition: number; until: number }
export type DeadLetter = {
  n: number
  id: string
  idem: string
  type: string
  lane: string
  virtual: number
  priority: number
  payload: string
  acceptedAt: number
  attempts: number
  failedAt: number
  error: string
}
export type Lane = { lane: string; active: number; debt: number; breaker: CircuitBreaker | null }
/** `ownSince`: from when on it was ours. */
export type Move = { virtual: number; since: number; ownSince: number; taker: number }
