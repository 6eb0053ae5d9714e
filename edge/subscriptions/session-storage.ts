// A session in SQLite: its lease, and what it listens to. `joining` waits for the alarm to join it.
export type Session = {
  project: string
  sessionId: string
  contentType: string
  expiresMs: number
  /** Of what it was last assigned; 0 when it never was. */
  version: number
}
export type Membership = { streamId: string; since: number; state: 'joined' | 'joining' }

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS session (one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS subscriptions (
     stream_id TEXT PRIMARY KEY, subscribed_at INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID`,
]

export class SessionStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
  }

  session(): Session | null {
    const [row] = this.#sql.exec<{ body: string }>('SELECT body FROM session').toArray()
    return row === undefined ? null : (JSON.parse(row.body) as Session)
  }

  putSession(session: Session): void {
    this.#sql.exec('INSERT OR REPLACE INTO session VALUES (1, ?)', JSON.stringify(session))
  }

  memberships(state?: Membership['state'], limit = -1): Membership[] {
    return this.#sql
      .exec<Membership>(
        `SELECT stream_id AS streamId, subscribed_at AS since, state FROM subscriptions
         WHERE ?1 IS NULL OR state = ?1 ORDER BY subscribed_at, stream_id LIMIT ?2`,
        state ?? null,
        limit,
      )
      .toArray()
  }

  membership(streamId: string): Membership | null {
    return this.memberships().find((entry) => entry.streamId === streamId) ?? null
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
