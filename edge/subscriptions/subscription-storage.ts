// A stream's listeners in SQLite, and what each of them is owed: the offset up to which it has not been reached yet.
import type { Position } from '../streams/core/offset.ts'
import { SQL_MAX_PARAMETERS } from './constants.ts'
import type { Listener } from './core/plan.ts'

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS subscribers (
     session_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, owed INTEGER) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS subscribers_owed ON subscribers (owed) WHERE owed IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
]
const COLUMNS = 'session_id AS sessionId, generation'

export class SubscriptionStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
  }

  add({ sessionId, generation }: Listener, owed: Position | null): void {
    this.#sql.exec('INSERT OR REPLACE INTO subscribers VALUES (?, ?, ?)', sessionId, generation, owed)
  }

  remove(sessionId: string): void {
    this.#sql.exec('DELETE FROM subscribers WHERE session_id = ?', sessionId)
  }

  /** Only of the generation that was found stale: the session may have joined again meanwhile. */
  removeStale(listeners: Listener[]): void {
    for (const part of inParts(listeners))
      this.#sql.exec(
        `DELETE FROM subscribers WHERE (session_id, generation) IN (VALUES ${part.map(() => '(?, ?)').join(', ')})`,
        ...part.flatMap(({ sessionId, generation }) => [sessionId, generation]),
      )
  }

  listeners(): Listener[] {
    return this.#sql.exec<Listener>(`SELECT ${COLUMNS} FROM subscribers`).toArray()
  }

  count(): number {
    return this.#sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM subscribers').one().count
  }

  oweAll(offset: Position): void {
    this.#sql.exec('UPDATE subscribers SET owed = ? WHERE owed IS NULL OR owed < ?', offset, offset)
  }

  owe(listeners: Listener[], offset: Position): void {
    for (const { sessionId, generation } of listeners)
      this.#sql.exec(
        'UPDATE subscribers SET owed = MAX(COALESCE(owed, 0), ?) WHERE session_id = ? AND generation = ?',
        offset,
        sessionId,
        generation,
      )
  }

  oweAtMost(offset: Position): void {
    this.#sql.exec('UPDATE subscribers SET owed = ? WHERE owed > ?', offset, offset)
  }

  /** They have everything up to here. */
  settle(listeners: Listener[], offset: Position): void {
    for (const part of inParts(listeners))
      this.#sql.exec(
        `UPDATE subscribers SET owed = NULL WHERE owed <= ? AND (session_id, generation) IN
           (VALUES ${part.map(() => '(?, ?)').join(', ')})`,
        offset,
        ...part.flatMap(({ sessionId, generation }) => [sessionId, generation]),
      )
  }

  owed(limit: number): (Listener & { owed: Position })[] {
    return this.#sql
      .exec<Listener & { owed: Position }>(
        `SELECT ${COLUMNS}, owed FROM subscribers WHERE owed IS NOT NULL ORDER BY owed LIMIT ?`,
        limit,
      )
      .toArray()
  }

  get(name: 'last' | 'intent' | 'project' | 'stream'): string | null {
    const [row] = this.#sql.exec<{ value: string }>('SELECT value FROM state WHERE name = ?', name).toArray()
    return row?.value ?? null
  }

  put(name: 'last' | 'intent' | 'project' | 'stream', value: string | null): void {
    if (value === null) this.#sql.exec('DELETE FROM state WHERE name = ?', name)
    else this.#sql.exec('INSERT OR REPLACE INTO state VALUES (?, ?)', name, value)
  }
}

/** A statement takes a hundred parameters: two each, and one for the offset. */
function inParts<Item>(items: Item[]): Item[][] {
  const size = Math.floor((SQL_MAX_PARAMETERS - 1) / 2)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}
