// A session in SQLite: its lease, and what it listens to. `joining` and `leaving` wait for the alarm to bring them to their
// end; `direct` has too many listeners to be copied, and is read by the session itself.
import { migrate } from '../lib/migrate.ts'
import type { SubscriptionState } from './rpc.ts'

export type Session = {
  project: string
  sessionId: string
  contentType: string
  expiresMs: number
  /** Of what it was last assigned; 0 when it never was. */
  version: number
}
export type Membership = { streamId: string; since: number; state: SubscriptionState | 'leaving' }

const MIGRATIONS = [
  [
    `CREATE TABLE IF NOT EXISTS session (one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS subscriptions (
       stream_id TEXT PRIMARY KEY, subscribed_at INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID`,
  ],
  [`CREATE INDEX subscriptions_unfinished ON subscriptions (state) WHERE state IN ('joining', 'leaving')`],
]
const COLUMNS = 'stream_id AS streamId, subscribed_at AS since, state'

export class SessionStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, MIGRATIONS)
  }

  session(): Session | null {
    const [row] = this.#sql.exec<{ body: string }>('SELECT body FROM session').toArray()
    return row === undefined ? null : (JSON.parse(row.body) as Session)
  }

  putSession(session: Session): void {
    this.#sql.exec('INSERT OR REPLACE INTO session VALUES (1, ?)', JSON.stringify(session))
  }

  memberships(): Membership[] {
    return this.#sql
      .exec<Membership>(`SELECT ${COLUMNS} FROM subscriptions ORDER BY subscribed_at, stream_id`)
      .toArray()
  }

  unfinished(limit: number): Membership[] {
    return this.#sql
      .exec<Membership>(`SELECT ${COLUMNS} FROM subscriptions WHERE state IN ('joining', 'leaving') LIMIT ?`, limit)
      .toArray()
  }

  membership(streamId: string): Membership | null {
    const [row] = this.#sql
      .exec<Membership>(`SELECT ${COLUMNS} FROM subscriptions WHERE stream_id = ?`, streamId)
      .toArray()
    return row ?? null
  }

  put({ streamId, since, state }: Membership): void {
    this.#sql.exec('INSERT OR REPLACE INTO subscriptions VALUES (?, ?, ?)', streamId, since, state)
  }

  remove(streamId: string): void {
    this.#sql.exec('DELETE FROM subscriptions WHERE stream_id = ?', streamId)
  }

  clear(): void {
    this.#sql.exec('DELETE FROM session')
    this.#sql.exec('DELETE FROM subscriptions')
  }
}
