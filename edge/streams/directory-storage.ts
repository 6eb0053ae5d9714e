// A project's directory in SQLite: the streams that are listed, the subscriptions, and for each pair of them how far it
// has been acknowledged and where the stream ends. Knows SQL and nothing else.
import type { Position } from './core/offset.ts'
import type { SubscriptionConfig } from './core/subscription.ts'
import type { Wake } from './core/wake.ts'

export type Subscription = {
  id: string
  config: SubscriptionConfig
  wake: Wake
  createdMs: number
  /** Address of the stream root under which it was made; callbacks go there. */
  root: string
}
export type Link = { stream: string; explicit: boolean; glob: boolean; acked: Position; tail: Position }

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS streams (id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS subscriptions (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS links (
     subscription TEXT NOT NULL, stream TEXT NOT NULL, explicit INTEGER NOT NULL, glob INTEGER NOT NULL,
     acked INTEGER NOT NULL, tail INTEGER NOT NULL, PRIMARY KEY (subscription, stream)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS links_by_stream ON links (stream)`,
  `CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
]

type LinkRow = { stream: string; explicit: number; glob: number; acked: number; tail: number }

export class DirectoryStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
  }

  addStream(id: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO streams VALUES (?)', id)
  }

  removeStream(id: string): void {
    this.#sql.exec('DELETE FROM streams WHERE id = ?', id)
  }

  streams(): string[] {
    return this.#sql
      .exec<{ id: string }>('SELECT id FROM streams')
      .toArray()
      .map(({ id }) => id)
  }

  subscription(id: string): Subscription | null {
    const [row] = this.#sql.exec<{ body: string }>('SELECT body FROM subscriptions WHERE id = ?', id).toArray()
    return row === undefined ? null : (JSON.parse(row.body) as Subscription)
  }

  subscriptions(): Subscription[] {
    const rows = this.#sql.exec<{ body: string }>('SELECT body FROM subscriptions').toArray()
    return rows.map(({ body }) => JSON.parse(body) as Subscription)
  }

  putSubscription(subscription: Subscription): void {
    this.#sql.exec('INSERT OR REPLACE INTO subscriptions VALUES (?, ?)', subscription.id, JSON.stringify(subscription))
  }

  removeSubscription(id: string): void {
    this.#sql.exec('DELETE FROM subscriptions WHERE id = ?', id)
    this.#sql.exec('DELETE FROM links WHERE subscription = ?', id)
  }

  links(subscription: string): Link[] {
    return this.#sql
      .exec<LinkRow>(
        'SELECT stream, explicit, glob, acked, tail FROM links WHERE subscription = ? ORDER BY stream',
        subscription,
      )
      .toArray()
      .map((row) => ({ ...row, explicit: row.explicit === 1, glob: row.glob === 1 }))
  }

  /** Adds a kind to the link; where it already stands, it stays. */
  link(subscription: string, stream: string, kind: 'explicit' | 'glob', at: Position): void {
    this.#sql.exec(
      `INSERT INTO links VALUES (?1, ?2, ?3, ?4, ?5, ?5)
       ON CONFLICT DO UPDATE SET explicit = explicit | excluded.explicit, glob = glob | excluded.glob`,
      subscription,
      stream,
      kind === 'explicit' ? 1 : 0,
      kind === 'glob' ? 1 : 0,
      at,
    )
  }

  unlinkExplicit(subscription: string, stream: string): void {
    this.#sql.exec('UPDATE links SET explicit = 0 WHERE subscription = ? AND stream = ?', subscription, stream)
    this.#sql.exec('DELETE FROM links WHERE explicit = 0 AND glob = 0')
  }

  dropGlobLinks(stream: string): void {
    this.#sql.exec('UPDATE links SET glob = 0, acked = 0, tail = 0 WHERE stream = ?', stream)
    this.#sql.exec('DELETE FROM links WHERE explicit = 0 AND glob = 0')
  }

  linkedSubscriptions(stream: string): string[] {
    return this.#sql
      .exec<{ subscription: string }>('SELECT subscription FROM links WHERE stream = ?', stream)
      .toArray()
      .map(({ subscription }) => subscription)
  }

  moveTail(stream: string, tail: Position): void {
    this.#sql.exec('UPDATE links SET tail = ? WHERE stream = ? AND tail < ?', tail, stream, tail)
  }

  ack(subscription: string, stream: string, at: Position): void {
    this.#sql.exec(
      'UPDATE links SET acked = MIN(tail, ?) WHERE subscription = ? AND stream = ? AND acked < ?',
      at,
      subscription,
      stream,
      at,
    )
  }

  secret(name: string): string | null {
    const [row] = this.#sql.exec<{ value: string }>('SELECT value FROM secrets WHERE name = ?', name).toArray()
    return row?.value ?? null
  }

  putSecret(name: string, value: string): void {
    this.#sql.exec('INSERT INTO secrets VALUES (?, ?)', name, value)
  }
}
