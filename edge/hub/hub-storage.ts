// A shard's memory in SQLite: who is registered, what their connections may do, what waits for them, which messages were
// seen, and a few values of the shard itself.
import type { DeliveryAck } from './core/delivery.ts'
import type { StoredRegistration } from './core/registry.ts'
import type { Rights } from './core/rights.ts'

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS registrations (
     row INTEGER PRIMARY KEY AUTOINCREMENT, actor TEXT NOT NULL UNIQUE, capabilities TEXT NOT NULL, metadata TEXT NOT NULL,
     connection_id TEXT NOT NULL, registered_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, version INTEGER NOT NULL,
     renewal_token TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS connections (
     connection_id TEXT PRIMARY KEY, actor TEXT NOT NULL, rights TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS inbox (
     n INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, sender TEXT NOT NULL, id TEXT NOT NULL,
     frame TEXT NOT NULL, expires_at INTEGER NOT NULL, UNIQUE (target, sender, id))`,
  `CREATE TABLE IF NOT EXISTS seen (
     sender TEXT NOT NULL, target TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, delivered_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, PRIMARY KEY (sender, target, id)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS seen_expires ON seen (expires_at)`,
  `CREATE TABLE IF NOT EXISTS paused (target TEXT NOT NULL, sender TEXT NOT NULL, PRIMARY KEY (target, sender)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
]

type RegistrationRow = {
  row: number
  actor: string
  capabilities: string
  metadata: string
  connection_id: string
  registered_at: number
  expires_at: number
  version: number
  renewal_token: string
}

export type InboxEntry = { sender: string; id: string; frame: string; expiresAt: number }
export type SeenEntry = { sender: string; id: string; status: string; deliveredAt: number; expiresAt: number }

export class HubStorage {
  readonly sql: SqlStorage
  /** Counted once, then kept up to date: a count of the table for every message would be slow. */
  #seen: number

  constructor(sql: SqlStorage) {
    this.sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
    this.#seen = this.#count('SELECT COUNT(*) AS count FROM seen')
  }

  // ── registrations

  registrations(): StoredRegistration[] {
    return this.sql.exec<RegistrationRow>('SELECT * FROM registrations ORDER BY row').toArray().map(fromRow)
  }

  /** Gives the row: a known actor keeps its own. */
  putRegistration(registration: Omit<StoredRegistration, 'row'>): number {
    const { actorAddress, connectionId, registeredAt, expiresAt, version, renewalToken } = registration
    const [capabilities, metadata] = [JSON.stringify(registration.capabilities), JSON.stringify(registration.metadata)]
    return this.sql
      .exec<{ row: number }>(
        `INSERT INTO registrations (actor, capabilities, metadata, connection_id, registered_at, expires_at, version, renewal_token)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (actor) DO UPDATE SET capabilities = excluded.capabilities, metadata = excluded.metadata,
           connection_id = excluded.connection_id, registered_at = excluded.registered_at, expires_at = excluded.expires_at,
           version = excluded.version, renewal_token = excluded.renewal_token
         RETURNING row`,
        ...[actorAddress, capabilities, metadata, connectionId, registeredAt, expiresAt, version, renewalToken],
      )
      .one().row
  }

  removeRegistration(actor: string): void {
    this.sql.exec('DELETE FROM registrations WHERE actor = ?', actor)
  }

  // ── connections and their rights

  putConnection(connectionId: string, actor: string, rights: Rights): void {
    this.sql.exec(
      'INSERT OR REPLACE INTO connections VALUES (?, ?, ?, ?)',
      ...[connectionId, actor, JSON.stringify(rights), rights.expiresAtMs],
    )
  }

  rightsOf(connectionId: string): Rights | null {
    const [row] = this.sql
      .exec<{ rights: string }>('SELECT rights FROM connections WHERE connection_id = ?', connectionId)
      .toArray()
    return row === undefined ? null : (JSON.parse(row.rights) as Rights)
  }

  removeConnection(connectionId: string): void {
    this.sql.exec('DELETE FROM connections WHERE connection_id = ?', connectionId)
  }

  expiredConnections(nowMs: number): string[] {
    return this.sql
      .exec<{ id: string }>('SELECT connection_id AS id FROM connections WHERE expires_at <= ?', nowMs)
      .toArray()
      .map(({ id }) => id)
  }

  // ── what waits, and what was seen

  keep(target: string, entry: InboxEntry): void {
    this.sql.exec(
      'INSERT OR IGNORE INTO inbox (target, sender, id, frame, expires_at) VALUES (?, ?, ?, ?, ?)',
      ...[target, entry.sender, entry.id, entry.frame, entry.expiresAt],
    )
  }

  /** In the order of arrival. */
  inbox(target: string, nowMs: number): InboxEntry[] {
    return this.sql
      .exec<InboxEntry>(
        'SELECT sender, id, frame, expires_at AS expiresAt FROM inbox WHERE target = ? AND expires_at >= ? ORDER BY n',
        target,
        nowMs,
      )
      .toArray()
  }

  waiting(target: string, nowMs: number): number {
    return this.#count('SELECT COUNT(*) AS count FROM inbox WHERE target = ? AND expires_at >= ?', target, nowMs)
  }

  acknowledge(target: string, sender: string, id: string): void {
    this.sql.exec('DELETE FROM inbox WHERE target = ? AND sender = ? AND id = ?', target, sender, id)
  }

  get seenCount(): number {
    return this.#seen
  }

  knownAck(sender: string, target: string, id: string, nowMs: number): DeliveryAck | null {
    const [row] = this.sql
      .exec<{ status: DeliveryAck['status']; deliveredAt: number }>(
        'SELECT status, delivered_at AS deliveredAt FROM seen WHERE sender = ? AND target = ? AND id = ? AND expires_at >= ?',
        ...[sender, target, id, nowMs],
      )
      .toArray()
    return row ?? null
  }

  remember(target: string, { sender, id, status, deliveredAt, expiresAt }: SeenEntry): void {
    const { rowsWritten } = this.sql.exec(
      'INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?, ?)',
      ...[sender, target, id, status, deliveredAt, expiresAt],
    )
    if (rowsWritten > 0) this.#seen += 1
  }

  seenOf(target: string, nowMs: number): SeenEntry[] {
    return this.sql
      .exec<SeenEntry>(
        `SELECT sender, id, status, delivered_at AS deliveredAt, expires_at AS expiresAt FROM seen
         WHERE target = ? AND expires_at >= ?`,
        target,
        nowMs,
      )
      .toArray()
  }

  /** What has run out goes; nothing else ever does. */
  sweep(nowMs: number): void {
    this.sql.exec('DELETE FROM seen WHERE expires_at < ?', nowMs)
    this.sql.exec('DELETE FROM inbox WHERE expires_at < ?', nowMs)
    this.#seen = this.#count('SELECT COUNT(*) AS count FROM seen')
  }

  forgetTarget(target: string): void {
    this.sql.exec('DELETE FROM inbox WHERE target = ?', target)
    this.sql.exec('DELETE FROM seen WHERE target = ?', target)
    this.#seen = this.#count('SELECT COUNT(*) AS count FROM seen')
  }

  inboxCount(): number {
    return this.#count('SELECT COUNT(*) AS count FROM inbox')
  }

  // ── senders that were told to wait

  pause(target: string, sender: string): boolean {
    return this.sql.exec('INSERT OR IGNORE INTO paused VALUES (?, ?)', target, sender).rowsWritten > 0
  }

  pausedBy(target: string): string[] {
    return this.sql
      .exec<{ sender: string }>('DELETE FROM paused WHERE target = ? RETURNING sender', target)
      .toArray()
      .map(({ sender }) => sender)
  }

  pausingTargets(): string[] {
    return this.sql
      .exec<{ target: string }>('SELECT DISTINCT target FROM paused')
      .toArray()
      .map(({ target }) => target)
  }

  // ── values of the shard

  get(name: string): string | null {
    const [row] = this.sql.exec<{ value: string }>('SELECT value FROM state WHERE name = ?', name).toArray()
    return row?.value ?? null
  }

  put(name: string, value: string): void {
    this.sql.exec('INSERT OR REPLACE INTO state VALUES (?, ?)', name, value)
  }

  #count(query: string, ...bindings: (string | number)[]): number {
    return this.sql.exec<{ count: number }>(query, ...bindings).one().count
  }
}

const fromRow = (row: RegistrationRow): StoredRegistration => ({
  row: row.row,
  actorAddress: row.actor,
  capabilities: JSON.parse(row.capabilities) as string[],
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  connectionId: row.connection_id,
  registeredAt: row.registered_at,
  expiresAt: row.expires_at,
  version: row.version,
  renewalToken: row.renewal_token,
})
