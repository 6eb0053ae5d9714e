// A partition's jobs, lanes and dead letters in SQLite. Every question of the running partition is a look into an index; a
// batch is one statement that unfolds a JSON text, so neither its size nor the limit of bound parameters matters.
import type { CircuitBreaker } from '#shared/circuit-breaker.ts'
import type { LaneState } from './core/lane.ts'
import {
  type DeadLetter,
  type Lane,
  type Move,
  type NewJob,
  type Placement,
  SCHEMA,
  type Seen,
  type StoredJob,
} from './partition-schema.ts'
import type { Row, Sql } from './sql.ts'

const CARRIED = `id, idem, type, lane, virtual, gen, ord, priority, payload, accepted_at AS acceptedAt, due_at AS dueAt, attempts`
const STORED = `n, ${CARRIED}, state, started_at AS startedAt, stalled_at AS stalledAt, token, lease_until AS leaseUntil`
const DEAD = `n, id, idem, type, lane, virtual, priority, payload, accepted_at AS acceptedAt, attempts, failed_at AS failedAt, error`
const json = (field: string) => `json_extract(value, '$.${field}')`
const unfold = (...fields: string[]) => `SELECT ${fields.map(json).join(', ')} FROM json_each(?)`

export class PartitionStorage {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
  }

  // Jobs

  insert(jobs: readonly NewJob[]): void {
    if (jobs.length === 0) return
    this.#sql.exec(
      `INSERT INTO jobs (id, idem, type, lane, virtual, gen, ord, priority, payload, accepted_at, due_at, attempts, state, rank)
       ${unfold('id', 'idem', 'type', 'lane', 'virtual', 'gen', 'ord', 'priority', 'payload', 'acceptedAt', 'dueAt', 'attempts', 'state', 'rank')}`,
      JSON.stringify(jobs),
    )
  }

  lastNumber(): number {
    return this.#one<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'")?.seq ?? 0
  }

  job(n: number): StoredJob | null {
    return this.#one<StoredJob & Row>(`SELECT ${STORED} FROM jobs WHERE n = ?`, n)
  }

  /** The one that goes next in its lane; without its payload, which may be large. */
  head(lane: string): { n: number; dueAt: number; priority: number } | null {
    return this.#one(
      'SELECT n, due_at AS dueAt, priority FROM jobs WHERE lane = ? AND state = 1 ORDER BY rank, ord LIMIT 1',
      lane,
    )
  }

  nextDueAt(lane: string): number | null {
    return (
      this.#one<{ at: number }>(
        'SELECT due_at AS at FROM jobs WHERE lane = ? AND state = 0 ORDER BY due_at LIMIT 1',
        lane,
      )?.at ?? null
    )
  }

  /** Those whose time has come. */
  makeReady(lane: string, now: number): void {
    this.#sql.exec('UPDATE jobs SET state = 1 WHERE lane = ? AND state = 0 AND due_at <= ?', lane, now)
  }

  lease(n: number, { token, now, until }: { token: string; now: number; until: number }): void {
    this.#sql.exec(
      'UPDATE jobs SET state = 2, token = ?, started_at = ?, lease_until = ?, attempts = attempts + 1 WHERE n = ?',
      ...[token, now, until, n],
    )
  }

  prolong(n: number, until: number): void {
    this.#sql.exec('UPDATE jobs SET lease_until = ? WHERE n = ?', until, n)
  }

  putBack(
    n: number,
    back: Pick<StoredJob, 'state' | 'dueAt' | 'attempts' | 'stalledAt'> & { rank: number; error: string },
  ): void {
    const { state, dueAt, attempts, stalledAt, rank, error } = back
    this.#sql.exec(
      `UPDATE jobs SET state = ?, due_at = ?, attempts = ?, stalled_at = ?, rank = ?, error = ?, token = NULL,
         lease_until = NULL WHERE n = ?`,
      ...[state, dueAt, attempts, stalledAt, rank, error, n],
    )
  }

  remove(numbers: readonly number[]): void {
    this.#sql.exec('DELETE FROM jobs WHERE n IN (SELECT value FROM json_each(?))', JSON.stringify(numbers))
  }

  lostLeases(now: number): StoredJob[] {
    return this.#all<StoredJob & Row>(`SELECT ${STORED} FROM jobs WHERE state = 2 AND lease_until <= ?`, now)
  }

  nextLeaseEnd(): number | null {
    return (
      this.#one<{ at: number }>('SELECT lease_until AS at FROM jobs WHERE state = 2 ORDER BY lease_until LIMIT 1')
        ?.at ?? null
    )
  }

  /** Everything that waits; what is being done is left alone. */
  removeWaiting(): number {
    const [{ count } = { count: 0 }] = this.#all<{ count: number }>(
      'SELECT COUNT(*) AS count FROM jobs WHERE state <> 2',
    )
    this.#sql.exec('DELETE FROM jobs WHERE state <> 2')
    return count
  }

  counts(): { waiting: number; active: number } {
    return this.#one<{ waiting: number; active: number }>(
      'SELECT COALESCE(SUM(state <> 2), 0) AS waiting, COALESCE(SUM(state = 2), 0) AS active FROM jobs',
    )!
  }

  oldest(): number | null {
    // The first number is the oldest but for jobs that were handed over: near enough for a gauge, and one look.
    return this.#one<{ at: number }>('SELECT accepted_at AS at FROM jobs ORDER BY n LIMIT 1')?.at ?? null
  }

  waitingByVirtual(): { virtual: number; count: number }[] {
    return this.#all('SELECT virtual, COUNT(*) AS count FROM jobs WHERE state <> 2 GROUP BY virtual')
  }

  rerank(ordered: boolean, ageingMs: number): void {
    if (ordered) this.#sql.exec('UPDATE jobs SET rank = gen')
    else this.#sql.exec('UPDATE jobs SET rank = due_at + (9 - priority) * ?', ageingMs)
  }

  // Moving

  leave(virtuals: readonly number[]): void {
    const list = JSON.stringify(virtuals)
    this.#sql.exec('UPDATE jobs SET state = 3 WHERE state <> 2 AND virtual IN (SELECT value FROM json_each(?))', list)
  }

  hold(virtuals: readonly number[]): void {
    this.#sql.exec(
      'UPDATE jobs SET state = 4 WHERE state = 3 AND virtual IN (SELECT value FROM json_each(?))',
      JSON.stringify(virtuals),
    )
  }

  /** Under order a job that waits for its retry is ready: it is the next of its key, which waits with it. */
  unhold(virtuals: readonly number[], ordered: boolean): void {
    this.#sql.exec(
      `UPDATE jobs SET state = (? AND attempts > 0) WHERE state >= 3 AND virtual IN (SELECT value FROM json_each(?))`,
      ordered ? 1 : 0,
      JSON.stringify(virtuals),
    )
  }

  leaving(limit: number): StoredJob[] {
    return this.#all<StoredJob & Row>(
      `SELECT ${STORED} FROM jobs WHERE state = 3 ORDER BY virtual, gen, n LIMIT ?`,
      limit,
    )
  }

  /** Whether anything of it is still here to be done or handed on. */
  isEmpty(virtual: number): boolean {
    return (
      this.#one('SELECT n FROM jobs WHERE state = 3 AND virtual = ? LIMIT 1', virtual) === null &&
      this.#one('SELECT n FROM jobs WHERE state = 2 AND virtual = ? LIMIT 1', virtual) === null
    )
  }

  dropHeld(virtual: number, idem: string): boolean {
    const held = this.#one<{ n: number }>(
      'SELECT n FROM jobs WHERE state = 4 AND virtual = ? AND idem = ? LIMIT 1',
      ...[virtual, idem],
    )
    if (held !== null) this.remove([held.n])
    return held !== null
  }

  lanesOf(virtual: number): string[] {
    return this.#all<{ lane: string }>('SELECT DISTINCT lane FROM jobs WHERE virtual = ? AND state <> 2', virtual).map(
      ({ lane }) => lane,
    )
  }

  waitingLanes(): string[] {
    return this.#all<{ lane: string }>('SELECT DISTINCT lane FROM jobs UNION SELECT lane FROM lanes').map(
      ({ lane }) => lane,
    )
  }

  moves(): Move[] {
    return this.#all('SELECT virtual, since, own_since AS ownSince, taker FROM moves ORDER BY virtual, since')
  }

  addMove({ virtual, since, ownSince, taker }: Move): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO moves (virtual, since, own_since, taker) VALUES (?, ?, ?, ?)',
      ...[virtual, since, ownSince, taker],
    )
  }

  endMove({ virtual, since }: Pick<Move, 'virtual' | 'since'>): void {
    this.#sql.exec('DELETE FROM moves WHERE virtual = ? AND since = ?', virtual, since)
  }

  released(): Map<number, number> {
    const rows = this.#all<{ virtual: number; since: number }>('SELECT virtual, since FROM released')
    return new Map(rows.map(({ virtual, since }) => [virtual, since]))
  }

  setReleased(virtual: number, since: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO released (virtual, since) VALUES (?, ?)', virtual, since)
  }

  // Lanes

  lane(lane: string): Lane | null {
    const row = this.#one<{ lane: string; active: number; debt: number; breaker: string | null }>(
      'SELECT lane, active, debt, breaker FROM lanes WHERE lane = ?',
      lane,
    )
    return row && { ...row, breaker: row.breaker === null ? null : (JSON.parse(row.breaker) as CircuitBreaker) }
  }

  putLane({ lane, active, debt, breaker }: Lane, state: LaneState): void {
    if (state.is === 'empty') {
      this.#sql.exec('DELETE FROM lanes WHERE lane = ?', lane)
      return
    }
    this.#sql.exec(
      'INSERT OR REPLACE INTO lanes (lane, active, ready, wake_at, turn, debt, breaker) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[lane, active, state.is === 'ready' ? 1 : 0, state.wakeAt, state.is === 'ready' ? state.turn : 0, debt],
      breaker === null ? null : JSON.stringify(breaker),
    )
  }

  nextLane(): string | null {
    return this.#one<{ lane: string }>('SELECT lane FROM lanes WHERE ready = 1 ORDER BY turn LIMIT 1')?.lane ?? null
  }

  lanesToWake(now: number, limit: number): string[] {
    return this.#all<{ lane: string }>(
      'SELECT lane FROM lanes WHERE wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?',
      ...[now, limit],
    ).map(({ lane }) => lane)
  }

  nextWake(): number | null {
    return (
      this.#one<{ at: number }>('SELECT wake_at AS at FROM lanes WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1')
        ?.at ?? null
    )
  }

  // What was seen before, and where it was put

  seenAmong(idems: readonly string[]): Map<string, number> {
    const rows = this.#all<{ idem: string; gen: number }>(
      'SELECT idem, gen FROM seen WHERE idem IN (SELECT value FROM json_each(?))',
      JSON.stringify(idems),
    )
    return new Map(rows.map(({ idem, gen }) => [idem, gen]))
  }

  remember(seen: readonly Seen[]): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO seen (idem, virtual, gen, until) ${unfold('idem', 'virtual', 'gen', 'until')}`,
      JSON.stringify(seen),
    )
  }

  /** Of jobs that have ended: whoever hands one over says so himself. */
  endedOf(virtual: number, after: string, limit: number): Seen[] {
    return this.#all(
      `SELECT idem, virtual, gen, until FROM seen WHERE idem > ? AND virtual = ?
         AND idem NOT IN (SELECT idem FROM jobs WHERE virtual = ?) ORDER BY idem LIMIT ?`,
      ...[after, virtual, virtual, limit],
    )
  }

  placement(subject: string): number | null {
    return (
      this.#one<{ partition: number }>('SELECT partition FROM placements WHERE subject = ?', subject)?.partition ?? null
    )
  }

  place({ subject, virtual, partition, until }: Placement): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO placements (subject, virtual, partition, until) VALUES (?, ?, ?, ?)',
      ...[subject, virtual, partition, until],
    )
  }

  placementsOf(virtual: number): Placement[] {
    return this.#all('SELECT subject, virtual, partition, until FROM placements WHERE virtual = ?', virtual)
  }

  forget(idems: readonly string[]): void {
    this.#sql.exec('DELETE FROM seen WHERE idem IN (SELECT value FROM json_each(?))', JSON.stringify(idems))
  }

  nextForgetAt(): number | null {
    return this.#one<{ at: number }>('SELECT until AS at FROM seen ORDER BY until LIMIT 1')?.at ?? null
  }

  forgetExpired(now: number): void {
    this.#sql.exec('DELETE FROM seen WHERE until <= ?', now)
    this.#sql.exec('DELETE FROM placements WHERE until <= ?', now)
  }

  // Dead letters

  bury(job: StoredJob, failedAt: number, error: string): void {
    const { id, idem, type, lane, virtual, priority, payload, acceptedAt, attempts } = job
    this.#sql.exec(
      `INSERT INTO dead (id, idem, type, lane, virtual, priority, payload, accepted_at, attempts, failed_at, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, idem, type, lane, virtual, priority, payload, acceptedAt, attempts, failedAt, error],
    )
  }

  dropOldestDead(): void {
    this.#sql.exec('DELETE FROM dead WHERE n = (SELECT MIN(n) FROM dead)')
  }

  deadCount(): number {
    return this.#one<{ count: number }>('SELECT COUNT(*) AS count FROM dead')!.count
  }

  /** Newest first, from before `before`. */
  dead(before: number, limit: number): DeadLetter[] {
    return this.#all(`SELECT ${DEAD} FROM dead WHERE n < ? ORDER BY n DESC LIMIT ?`, before, limit)
  }

  deadByIds(ids: readonly string[]): DeadLetter[] {
    return this.#all(
      `SELECT ${DEAD} FROM dead WHERE id IN (SELECT value FROM json_each(?)) ORDER BY n`,
      JSON.stringify(ids),
    )
  }

  unbury(numbers: readonly number[]): void {
    this.#sql.exec('DELETE FROM dead WHERE n IN (SELECT value FROM json_each(?))', JSON.stringify(numbers))
  }

  // Small things that outlive sleep

  get<Value>(name: 'place' | 'figures' | 'project'): Value | null {
    const row = this.#one<{ value: string }>('SELECT value FROM state WHERE name = ?', name)
    return row === null ? null : (JSON.parse(row.value) as Value)
  }

  put(name: 'place' | 'figures' | 'project', value: unknown): void {
    this.#sql.exec('INSERT OR REPLACE INTO state VALUES (?, ?)', name, JSON.stringify(value))
  }

  #all<Found extends Row>(query: string, ...bindings: (string | number | null)[]): Found[] {
    return this.#sql.exec<Found>(query, ...bindings).toArray()
  }

  #one<Found extends Row>(query: string, ...bindings: (string | number | null)[]): Found | null {
    return this.#all<Found>(query, ...bindings)[0] ?? null
  }
}
