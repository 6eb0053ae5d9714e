// A stream's listeners in SQLite, each with the offset up to which it is known to have everything. Whoever is behind `last`,
// where the source has come, is owed; so a publish writes one row, and a crash at any point leaves nobody out. Intents are
// publishes whose end is not known yet. Shards are further objects with listeners of the same stream.
import { migrate } from '../lib/migrate.ts'
import type { Position } from '../streams/core/offset.ts'
import { SQL_MAX_PARAMETERS } from './constants.ts'
import type { Listener } from './core/plan.ts'
import type { Place, ShardName } from './rpc.ts'

const MIGRATIONS = [
  [
    `CREATE TABLE IF NOT EXISTS subscribers (
       session_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, owed INTEGER) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS subscribers_owed ON subscribers (owed) WHERE owed IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
  ],
  [
    `DROP INDEX subscribers_owed`,
    `ALTER TABLE subscribers DROP COLUMN owed`,
    // Nothing is known of those that are there: they are asked, and whoever has everything says so.
    `ALTER TABLE subscribers ADD COLUMN reached INTEGER NOT NULL DEFAULT 0`,
    `CREATE INDEX subscribers_reached ON subscribers (reached)`,
    `CREATE TABLE intents (id INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL)`,
    `CREATE TABLE shards (shard INTEGER PRIMARY KEY, listeners INTEGER NOT NULL, reached INTEGER NOT NULL)`,
  ],
]

const NOWHERE: Place = { incarnation: '', offset: 0 }

export type Behind = Listener & { reached: Position }
export type Shard = { shard: number; listeners: number }

export class SubscriptionStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, MIGRATIONS)
  }

  // Listeners.

  add({ sessionId, generation }: Listener, reached: Position): void {
    this.#sql.exec('INSERT OR REPLACE INTO subscribers VALUES (?, ?, ?)', sessionId, generation, reached)
  }

  has(sessionId: string): boolean {
    return this.#sql.exec('SELECT 1 FROM subscribers WHERE session_id = ?', sessionId).toArray().length > 0
  }

  remove(sessionId: string): void {
    this.#sql.exec('DELETE FROM subscribers WHERE session_id = ?', sessionId)
  }

  /** Only of the generation that was found stale: the session may have joined again meanwhile. */
  removeStale(listeners: Listener[]): void {
    for (const part of inParts(listeners))
      this.#sql.exec(`DELETE FROM subscribers WHERE (session_id, generation) IN ${pairs(part)}`, ...values(part))
  }

  listeners(): Listener[] {
    return this.#sql.exec<Listener>('SELECT session_id AS sessionId, generation FROM subscribers').toArray()
  }

  count(): number {
    return this.#sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM subscribers').one().count
  }

  /** They have everything up to here. */
  settle(listeners: Listener[], offset: Position): void {
    for (const part of inParts(listeners))
      this.#sql.exec(
        `UPDATE subscribers SET reached = ? WHERE reached < ? AND (session_id, generation) IN ${pairs(part)}`,
        ...[offset, offset, ...values(part)],
      )
  }

  behind(limit: number): Behind[] {
    return this.#sql
      .exec<Behind>(
        `SELECT session_id AS sessionId, generation, reached FROM subscribers
         WHERE reached < ? ORDER BY reached LIMIT ?`,
        this.last().offset,
        limit,
      )
      .toArray()
  }

  // Where the source has come.

  last(): Place {
    const text = this.#get('last')
    // Before incarnations were kept there was only the number.
    return text === null
      ? NOWHERE
      : text.startsWith('{')
        ? (JSON.parse(text) as Place)
        : { ...NOWHERE, offset: Number(text) }
  }

  /** Never back, except to the beginning of a source that was made anew; there everybody begins again. */
  advance(place: Place): void {
    const last = this.last()
    const isAnother = place.incarnation !== last.incarnation
    if (!isAnother && place.offset <= last.offset) return
    if (isAnother) {
      this.#sql.exec('UPDATE subscribers SET reached = 0')
      this.#sql.exec('UPDATE shards SET reached = 0')
    }
    this.#put('last', JSON.stringify(place))
  }

  /** The source is gone: nobody is owed anything. */
  forgetLast(): void {
    this.#put('last', JSON.stringify(NOWHERE))
  }

  // Publishes whose end is not known.

  addIntent(nowMs: number): number {
    return this.#sql.exec<{ id: number }>('INSERT INTO intents (at_ms) VALUES (?) RETURNING id', nowMs).one().id
  }

  removeIntent(id: number): void {
    this.#sql.exec('DELETE FROM intents WHERE id = ?', id)
  }

  intents(): number[] {
    return this.#sql
      .exec<{ id: number }>('SELECT id FROM intents ORDER BY id')
      .toArray()
      .map(({ id }) => id)
  }

  // Shards.

  putShard(shard: number, listeners: number): void {
    this.#sql.exec('INSERT INTO shards VALUES (?1, ?2, 0) ON CONFLICT DO UPDATE SET listeners = ?2', shard, listeners)
  }

  shards(): Shard[] {
    return this.#sql.exec<Shard>('SELECT shard, listeners FROM shards ORDER BY shard').toArray()
  }

  shardsBehind(): Shard[] {
    return this.#sql
      .exec<Shard>('SELECT shard, listeners FROM shards WHERE reached < ? ORDER BY shard', this.last().offset)
      .toArray()
  }

  settleShard(shard: number, offset: Position): void {
    this.#sql.exec('UPDATE shards SET reached = ? WHERE shard = ? AND reached < ?', offset, shard, offset)
  }

  // Who we are: an alarm does not tell.

  name(): ShardName | null {
    const text = this.#get('name')
    return text === null ? null : (JSON.parse(text) as ShardName)
  }

  remember(name: ShardName): void {
    if (this.#get('name') === null) this.#put('name', JSON.stringify(name))
  }

  #get(name: 'last' | 'name'): string | null {
    const [row] = this.#sql.exec<{ value: string }>('SELECT value FROM state WHERE name = ?', name).toArray()
    return row?.value ?? null
  }

  #put(name: 'last' | 'name', value: string): void {
    this.#sql.exec('INSERT OR REPLACE INTO state VALUES (?, ?)', name, value)
  }
}

const pairs = (part: Listener[]): string => `(VALUES ${part.map(() => '(?, ?)').join(', ')})`
const values = (part: Listener[]) => part.flatMap(({ sessionId, generation }) => [sessionId, generation])

/** A statement takes a hundred parameters: two each, and two for offsets. */
function inParts<Item>(items: Item[]): Item[][] {
  const size = Math.floor((SQL_MAX_PARAMETERS - 2) / 2)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}
