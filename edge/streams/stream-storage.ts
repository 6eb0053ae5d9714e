// One stream in SQLite: its configuration and head in a single row, its bytes in chunks by position, its producers, the
// forks that lean on it, and the duties towards other objects that have not been done yet. Knows SQL and nothing else.
import { migrate } from '../lib/migrate.ts'
import type { ExistingStream } from './core/create.ts'
import type { SourceCursor } from './core/delivery.ts'
import type { Position } from './core/offset.ts'
import type { ProducerStamp, ProducerState } from './core/producer.ts'

export type ForkOrigin = { source: string; forkId: string; anchor: Position; subOffset: number }

export type StreamHead = Omit<ExistingStream, 'fork'> & {
  name: string
  /** Another one for each stream that lives under this name, so that cached answers of the last do not fit. */
  incarnation: string
  usedMs: number
  /** Where its own bytes begin: everything before is the source's. */
  base: Position
  tail: Position
  closedBy: ProducerStamp | null
  writerSeq: string | null
  fork: ForkOrigin | null
  /** Deleted, but kept for its forks. */
  deleted: boolean
  /** Not known to the project's directory: the product's own streams. */
  unlisted: boolean
}

export type Chunk = { position: Position; message: Position; data: Uint8Array }
/** Something another object must be told; done at least once. */
export type Duty = { kind: 'release' | 'unlist' | 'appended'; target: string; detail: string; dueMs: number }

/** What a stream is made of; dropped with it, and made anew for the next one under its name. */
const OWN_TABLES = ['stream', 'chunks', 'producers', 'forks', 'sources']
const FIRST = [
  `CREATE TABLE IF NOT EXISTS stream (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS chunks (
     position INTEGER PRIMARY KEY, message INTEGER NOT NULL, batch INTEGER NOT NULL, data BLOB NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS producers (id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS forks (fork_id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS sources (
     source TEXT PRIMARY KEY, generation INTEGER NOT NULL, at INTEGER NOT NULL, active INTEGER NOT NULL) WITHOUT ROWID`,
]
const INCARNATIONS = [
  `ALTER TABLE sources ADD COLUMN incarnation TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE sources ADD COLUMN checked_ms INTEGER NOT NULL DEFAULT 0`,
]
const LASTING = [
  `CREATE TABLE IF NOT EXISTS duties (
     kind TEXT NOT NULL, target TEXT NOT NULL, detail TEXT NOT NULL, due_ms INTEGER NOT NULL,
     PRIMARY KEY (kind, target, detail)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
]
const MIGRATIONS = [[...FIRST, ...LASTING], INCARNATIONS]

export class StreamStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, MIGRATIONS)
  }

  head(): StreamHead | null {
    const [row] = this.#sql.exec<{ head: string }>('SELECT head FROM stream').toArray()
    return row === undefined ? null : (JSON.parse(row.head) as StreamHead)
  }

  putHead(head: StreamHead): void {
    this.#sql.exec('INSERT OR REPLACE INTO stream (one, head) VALUES (1, ?)', JSON.stringify(head))
  }

  /** `message` and `batch` are where the message and the whole append begin. */
  putChunk(position: Position, message: Position, batch: Position, data: Uint8Array): void {
    this.#sql.exec('INSERT INTO chunks VALUES (?, ?, ?, ?)', position, message, batch, data)
  }

  /** From the chunk that holds `from`, in order; read no further than needed. */
  *chunksFrom(from: Position): Generator<Chunk> {
    const first = this.#sql
      .exec<{ at: number | null }>('SELECT MAX(position) AS at FROM chunks WHERE position <= ?', from)
      .one().at
    const rows = this.#sql.exec<{ position: number; message: number; data: ArrayBuffer }>(
      'SELECT position, message, data FROM chunks WHERE position >= ? ORDER BY position',
      first ?? from,
    )
    for (const { position, message, data } of rows) yield { position, message, data: new Uint8Array(data) }
  }

  /** Where the append that holds this place ends; null when it is the last one. */
  batchEnd(position: Position): Position | null {
    const [batch] = this.#sql
      .exec<{ at: number }>(
        'SELECT batch AS at FROM chunks WHERE position <= ? ORDER BY position DESC LIMIT 1',
        position,
      )
      .toArray()
    const [next] = this.#sql
      .exec<{ at: number }>(
        'SELECT position AS at FROM chunks WHERE position > ? AND batch <> ? ORDER BY position LIMIT 1',
        position,
        batch?.at ?? -1,
      )
      .toArray()
    return next?.at ?? null
  }

  /** Beginnings of the messages after `from`, at most `count`, below `end`. */
  messageStarts(from: Position, end: Position, count: number): Position[] {
    return this.#sql
      .exec<{ message: number }>(
        'SELECT position AS message FROM chunks WHERE position > ? AND position < ? AND position = message ORDER BY position LIMIT ?',
        from,
        end,
        count,
      )
      .toArray()
      .map(({ message }) => message)
  }

  producer(id: string): ProducerState | null {
    const [row] = this.#sql
      .exec<{ epoch: number; seq: number }>('SELECT epoch, seq FROM producers WHERE id = ?', id)
      .toArray()
    return row ?? null
  }

  putProducer({ id, epoch, seq }: ProducerStamp): void {
    this.#sql.exec('INSERT OR REPLACE INTO producers VALUES (?, ?, ?)', id, epoch, seq)
  }

  addFork(forkId: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO forks VALUES (?)', forkId)
  }

  removeFork(forkId: string): void {
    this.#sql.exec('DELETE FROM forks WHERE fork_id = ?', forkId)
  }

  hasForks(): boolean {
    return this.#sql.exec<{ some: number }>('SELECT EXISTS (SELECT 1 FROM forks) AS some').one().some === 1
  }

  /** How far a source is copied; null when it is not, or no longer. */
  sourceCursor(source: string): SourceCursor | null {
    const [row] = this.#sql
      .exec<SourceCursor>('SELECT generation, incarnation, at FROM sources WHERE source = ? AND active = 1', source)
      .toArray()
    return row ?? null
  }

  /** Later generations are larger, also after this stream was deleted and made anew: that is what the clock is for. */
  joinSource(source: string, incarnation: string, at: Position, nowMs: number): number {
    return this.#sql
      .exec<{ generation: number }>(
        `INSERT INTO sources (source, generation, incarnation, at, active, checked_ms) VALUES (?1, ?4, ?2, ?3, 1, ?4)
         ON CONFLICT DO UPDATE SET generation = MAX(generation + 1, ?4), incarnation = ?2, at = ?3, active = 1
         RETURNING generation`,
        ...[source, incarnation, at, nowMs],
      )
      .one().generation
  }

  leaveSource(source: string): void {
    this.#sql.exec('UPDATE sources SET active = 0 WHERE source = ?', source)
  }

  moveSource(source: string, incarnation: string, at: Position): void {
    this.#sql.exec('UPDATE sources SET incarnation = ?, at = ? WHERE source = ?', incarnation, at, source)
  }

  advanceSource(source: string, at: Position): void {
    this.#sql.exec('UPDATE sources SET at = ? WHERE source = ?', at, source)
  }

  /** Those that were looked at longest ago; from now on they were looked at now. */
  sourcesToCheck(limit: number, nowMs: number): { source: string; generation: number }[] {
    return this.#sql
      .exec<{ source: string; generation: number }>(
        `UPDATE sources SET checked_ms = ? WHERE source IN
           (SELECT source FROM sources WHERE active = 1 ORDER BY checked_ms LIMIT ?) RETURNING source, generation`,
        nowMs,
        limit,
      )
      .toArray()
  }

  putDuty({ kind, target, detail, dueMs }: Duty): void {
    this.#sql.exec('INSERT OR REPLACE INTO duties VALUES (?, ?, ?, ?)', kind, target, detail, dueMs)
  }

  removeDuty({ kind, target, detail }: Pick<Duty, 'kind' | 'target' | 'detail'>): void {
    this.#sql.exec('DELETE FROM duties WHERE kind = ? AND target = ? AND detail = ?', kind, target, detail)
  }

  duties(): Duty[] {
    return this.#sql
      .exec<{ kind: Duty['kind']; target: string; detail: string; dueMs: number }>(
        'SELECT kind, target, detail, due_ms AS dueMs FROM duties ORDER BY due_ms',
      )
      .toArray()
  }

  isWatched(): boolean {
    return this.#sql.exec(`SELECT 1 FROM settings WHERE name = 'watched'`).toArray().length > 0
  }

  setWatched(watched: boolean): void {
    this.#sql.exec(
      watched
        ? `INSERT OR REPLACE INTO settings VALUES ('watched', '1')`
        : `DELETE FROM settings WHERE name = 'watched'`,
    )
  }

  /** Everything of the stream; duties and whether it is watched outlive it. Dropping is quick at any length. */
  purge(): void {
    for (const table of OWN_TABLES) this.#sql.exec(`DROP TABLE ${table}`)
    for (const statement of [...FIRST, ...INCARNATIONS]) this.#sql.exec(statement)
  }
}
