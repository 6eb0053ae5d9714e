// Broadcasts in SQLite. At every shard: the message once, and the slices that are still to be sent. At the coordinating
// shard: which shards have not finished, and what came of the others.
import type { BroadcastCounts } from './core/broadcast.ts'
import type { BroadcastOrder } from './rpc.ts'

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS broadcasts (
     key TEXT PRIMARY KEY, orders TEXT NOT NULL, delivered INTEGER NOT NULL, failed INTEGER NOT NULL, queued INTEGER NOT NULL,
     total_batches INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS broadcast_batches (
     key TEXT NOT NULL, batch INTEGER NOT NULL, from_row INTEGER NOT NULL, to_row INTEGER NOT NULL,
     PRIMARY KEY (key, batch)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS broadcast_totals (
     key TEXT PRIMARY KEY, orders TEXT NOT NULL, waiting TEXT NOT NULL, delivered INTEGER NOT NULL, failed INTEGER NOT NULL)
     WITHOUT ROWID`,
]

export type Batch = { batch: number; fromRow: number; toRow: number }
/** Shards that have not finished; `asked` have not even said that they know of it. */
export type Waiting = Record<string, 'asked' | 'working'>
export type Totals = { order: BroadcastOrder; waiting: Waiting; delivered: number; failed: number }
export type Local = { order: BroadcastOrder; counts: BroadcastCounts; totalBatches: number }

export class BroadcastStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
  }

  put(key: string, { order, counts, totalBatches }: Local, batches: Batch[]): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO broadcasts VALUES (?, ?, ?, ?, ?, ?)',
      ...[key, JSON.stringify(order), counts.delivered, counts.failed, counts.queued, totalBatches],
    )
    for (const { batch, fromRow, toRow } of batches)
      this.#sql.exec('INSERT OR IGNORE INTO broadcast_batches VALUES (?, ?, ?, ?)', key, batch, fromRow, toRow)
  }

  get(key: string): Local | null {
    const [row] = this.#sql
      .exec<{ orders: string; delivered: number; failed: number; queued: number; total_batches: number }>(
        'SELECT * FROM broadcasts WHERE key = ?',
        key,
      )
      .toArray()
    if (row === undefined) return null
    const { delivered, failed, queued } = row
    return {
      order: JSON.parse(row.orders) as BroadcastOrder,
      counts: { delivered, failed, queued },
      totalBatches: row.total_batches,
    }
  }

  /** The given slice, or the next one; null when it is done. */
  batch(key: string, wanted: number | null): Batch | null {
    const [row] = this.#sql
      .exec<Batch>(
        `SELECT batch, from_row AS fromRow, to_row AS toRow FROM broadcast_batches
         WHERE key = ? AND (batch = ? OR ? IS NULL) ORDER BY batch LIMIT 1`,
        ...[key, wanted, wanted],
      )
      .toArray()
    return row ?? null
  }

  batches(key: string): Batch[] {
    return this.#sql
      .exec<Batch>(
        'SELECT batch, from_row AS fromRow, to_row AS toRow FROM broadcast_batches WHERE key = ? ORDER BY batch',
        key,
      )
      .toArray()
  }

  finishBatch(key: string, batch: number, { delivered, failed }: Pick<BroadcastCounts, 'delivered' | 'failed'>): void {
    this.#sql.exec('DELETE FROM broadcast_batches WHERE key = ? AND batch = ?', key, batch)
    this.#sql.exec(
      'UPDATE broadcasts SET delivered = delivered + ?, failed = failed + ?, queued = MAX(0, queued - ?) WHERE key = ?',
      ...[delivered, failed, delivered + failed, key],
    )
  }

  remove(key: string): void {
    this.#sql.exec('DELETE FROM broadcast_batches WHERE key = ?', key)
    this.#sql.exec('DELETE FROM broadcasts WHERE key = ?', key)
  }

  keys(): string[] {
    return this.#sql
      .exec<{ key: string }>('SELECT key FROM broadcasts')
      .toArray()
      .map(({ key }) => key)
  }

  /** Recipients that wait in slices. */
  queueDepth(): number {
    return this.#sql.exec<{ depth: number | null }>('SELECT SUM(queued) AS depth FROM broadcasts').one().depth ?? 0
  }

  /** Registered actors of a slice. */
  actorsBetween(fromRow: number, toRow: number): string[] {
    return this.#sql
      .exec<{ actor: string }>(
        'SELECT actor FROM registrations WHERE row >= ? AND row <= ? ORDER BY row',
        fromRow,
        toRow,
      )
      .toArray()
      .map(({ actor }) => actor)
  }

  putTotals(key: string, { order, waiting, delivered, failed }: Totals): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO broadcast_totals VALUES (?, ?, ?, ?, ?)',
      ...[key, JSON.stringify(order), JSON.stringify(waiting), delivered, failed],
    )
  }

  totals(key: string): Totals | null {
    const [row] = this.#sql
      .exec<{ orders: string; waiting: string; delivered: number; failed: number }>(
        'SELECT * FROM broadcast_totals WHERE key = ?',
        key,
      )
      .toArray()
    if (row === undefined) return null
    const { delivered, failed } = row
    return {
      order: JSON.parse(row.orders) as BroadcastOrder,
      waiting: JSON.parse(row.waiting) as Waiting,
      ...{ delivered, failed },
    }
  }

  removeTotals(key: string): void {
    this.#sql.exec('DELETE FROM broadcast_totals WHERE key = ?', key)
  }

  totalsKeys(): string[] {
    return this.#sql
      .exec<{ key: string }>('SELECT key FROM broadcast_totals')
      .toArray()
      .map(({ key }) => key)
  }
}
