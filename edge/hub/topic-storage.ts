// Topics in SQLite. At the owner: numbers, events for replay, and the shards that listen. At every shard: which of its
// connections listen. At both: rights that were taken back.
import type { TopicEvent } from '#shared/hub/protocol.ts'
import type { Revocation } from './core/rights.ts'
import type { TopicState } from './core/topic.ts'
import { REPLAY_BYTES, REPLAY_EVENTS } from './core/tuning.ts'

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS topics (topic TEXT PRIMARY KEY, last_seq INTEGER NOT NULL, trimmed_seq INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS topic_events (
     topic TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, bytes INTEGER NOT NULL, stored_at INTEGER NOT NULL,
     PRIMARY KEY (topic, seq)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS topic_shards (
     topic TEXT NOT NULL, shard TEXT NOT NULL, generation TEXT NOT NULL, behind_from INTEGER,
     PRIMARY KEY (topic, shard)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS subscriptions (
     topic TEXT NOT NULL, connection_id TEXT NOT NULL, actor TEXT NOT NULL, issued_at INTEGER NOT NULL,
     until INTEGER NOT NULL, PRIMARY KEY (topic, connection_id)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS subscriptions_connection ON subscriptions (connection_id)`,
  `CREATE TABLE IF NOT EXISTS revocations (
     topic TEXT NOT NULL, actors TEXT NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
     PRIMARY KEY (topic, actors)) WITHOUT ROWID`,
]
/** Stands for every topic; no topic has an empty name. */
const ALL_TOPICS = ''

export type Subscriber = { connectionId: string; actor: string; issuedAt: number; until: number }
export type ListeningShard = { shard: string; generation: string; behindFrom: number | null }
export type StoredEvent = { seq: number; event: string }

export class TopicStorage {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const statement of SCHEMA) sql.exec(statement)
  }

  // ── at the owner

  state(topic: string): TopicState & { trimmedSeq: number } {
    const [row] = this.#sql
      .exec<{ lastSeq: number; trimmedSeq: number; oldest: number | null }>(
        `SELECT last_seq AS lastSeq, trimmed_seq AS trimmedSeq,
           (SELECT MIN(seq) FROM topic_events e WHERE e.topic = t.topic) AS oldest FROM topics t WHERE topic = ?`,
        topic,
      )
      .toArray()
    return row ?? { lastSeq: 0, trimmedSeq: 0, oldest: null }
  }

  holds(topic: string, seq: number): boolean {
    return this.#sql.exec('SELECT 1 FROM topic_events WHERE topic = ? AND seq = ?', topic, seq).toArray().length > 0
  }

  /** `from` is the number before the first that this topic ever had here: before it, replay knows nothing. */
  append(topic: string, event: TopicEvent, text: string, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO topics VALUES (?, ?, ?)
       ON CONFLICT (topic) DO UPDATE SET last_seq = MAX(last_seq, excluded.last_seq)`,
      ...[topic, event.seq, event.seq - 1],
    )
    this.#sql.exec(
      'INSERT OR IGNORE INTO topic_events VALUES (?, ?, ?, ?, ?)',
      topic,
      event.seq,
      text,
      text.length,
      nowMs,
    )
    this.#trim(topic)
  }

  events(topic: string, sinceSeq: number): StoredEvent[] {
    return this.#sql
      .exec<StoredEvent>(
        'SELECT seq, event FROM topic_events WHERE topic = ? AND seq > ? ORDER BY seq',
        topic,
        sinceSeq,
      )
      .toArray()
  }

  sweep(storedBeforeMs: number): void {
    const old = this.#sql
      .exec<{ topic: string; seq: number }>(
        'SELECT topic, MAX(seq) AS seq FROM topic_events WHERE stored_at < ? GROUP BY topic',
        storedBeforeMs,
      )
      .toArray()
    for (const { topic, seq } of old) this.#drop(topic, seq)
  }

  join(topic: string, shard: string, generation: string): void {
    this.#sql.exec(
      `INSERT INTO topic_shards VALUES (?, ?, ?, NULL)
       ON CONFLICT (topic, shard) DO UPDATE SET generation = excluded.generation`,
      ...[topic, shard, generation],
    )
  }

  /** Only if it has not joined again since. */
  leave(topic: string, shard: string, generation: string): void {
    this.#sql.exec(
      'DELETE FROM topic_shards WHERE topic = ? AND shard = ? AND generation = ?',
      topic,
      shard,
      generation,
    )
  }

  listeningShards(topic: string): ListeningShard[] {
    return this.#sql
      .exec<ListeningShard>(
        'SELECT shard, generation, behind_from AS behindFrom FROM topic_shards WHERE topic = ?',
        topic,
      )
      .toArray()
  }

  /** The first number that a shard still has to get; null: none. */
  setBehind(topic: string, shard: string, fromSeq: number | null): void {
    this.#sql.exec('UPDATE topic_shards SET behind_from = ? WHERE topic = ? AND shard = ?', fromSeq, topic, shard)
  }

  behind(): { topic: string; shard: string; generation: string; behindFrom: number }[] {
    return this.#sql
      .exec<{ topic: string; shard: string; generation: string; behindFrom: number }>(
        'SELECT topic, shard, generation, behind_from AS behindFrom FROM topic_shards WHERE behind_from IS NOT NULL',
      )
      .toArray()
  }

  forgetTopic(topic: string): void {
    for (const table of ['topics', 'topic_events', 'topic_shards'])
      this.#sql.exec(`DELETE FROM ${table} WHERE topic = ?`, topic)
  }

  putTopic(topic: string, lastSeq: number, trimmedSeq: number, events: StoredEvent[], nowMs: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO topics VALUES (?, ?, ?)', topic, lastSeq, trimmedSeq)
    for (const { seq, event } of events)
      this.#sql.exec(
        'INSERT OR IGNORE INTO topic_events VALUES (?, ?, ?, ?, ?)',
        topic,
        seq,
        event,
        event.length,
        nowMs,
      )
  }

  #trim(topic: string): void {
    const rows = this.#sql
      .exec<{ seq: number; bytes: number }>(
        'SELECT seq, bytes FROM topic_events WHERE topic = ? ORDER BY seq DESC',
        topic,
      )
      .toArray()
    let bytes = 0
    const over = rows.findIndex((row, index) => {
      bytes += row.bytes
      return index >= REPLAY_EVENTS || (index > 0 && bytes > REPLAY_BYTES)
    })
    if (over >= 0) this.#drop(topic, rows[over]!.seq)
  }

  #drop(topic: string, upToSeq: number): void {
    this.#sql.exec('DELETE FROM topic_events WHERE topic = ? AND seq <= ?', topic, upToSeq)
    this.#sql.exec('UPDATE topics SET trimmed_seq = MAX(trimmed_seq, ?) WHERE topic = ?', upToSeq, topic)
  }

  // ── at every shard

  subscribe(topic: string, { connectionId, actor, issuedAt, until }: Subscriber): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO subscriptions VALUES (?, ?, ?, ?, ?)',
      ...[topic, connectionId, actor, issuedAt, until],
    )
  }

  unsubscribe(topic: string, connectionId: string): void {
    this.#sql.exec('DELETE FROM subscriptions WHERE topic = ? AND connection_id = ?', topic, connectionId)
  }

  subscribers(topic: string): Subscriber[] {
    return this.#sql
      .exec<Subscriber>(
        'SELECT connection_id AS connectionId, actor, issued_at AS issuedAt, until FROM subscriptions WHERE topic = ?',
        topic,
      )
      .toArray()
  }

  topicsOf(connectionId: string): string[] {
    return this.#sql
      .exec<{ topic: string }>('SELECT topic FROM subscriptions WHERE connection_id = ?', connectionId)
      .toArray()
      .map(({ topic }) => topic)
  }

  removeConnection(connectionId: string): void {
    this.#sql.exec('DELETE FROM subscriptions WHERE connection_id = ?', connectionId)
  }

  // ── at both

  revoke({ topic, actors, atMs }: Revocation, expiresAtMs: number): void {
    this.#sql.exec(
      `INSERT INTO revocations VALUES (?, ?, ?, ?)
       ON CONFLICT (topic, actors) DO UPDATE SET at = MAX(at, excluded.at), expires_at = MAX(expires_at, excluded.expires_at)`,
      ...[topic ?? ALL_TOPICS, actors, atMs, expiresAtMs],
    )
  }

  /** Those of the topic and those of all topics; with null, only the latter. */
  revocations(topic: string | null, nowMs: number): Revocation[] {
    return this.#sql
      .exec<{ topic: string; actors: string; atMs: number }>(
        'SELECT topic, actors, at AS atMs FROM revocations WHERE topic IN (?, ?) AND expires_at > ?',
        ...[ALL_TOPICS, topic ?? ALL_TOPICS, nowMs],
      )
      .toArray()
      .map((row) => ({ ...row, topic: row.topic === ALL_TOPICS ? null : row.topic }))
  }

  /** Of this topic alone, to be handed on. */
  revocationsWithEnd(topic: string, nowMs: number): { revocation: Revocation; expiresAt: number }[] {
    return this.#sql
      .exec<{ actors: string; atMs: number; expiresAt: number }>(
        'SELECT actors, at AS atMs, expires_at AS expiresAt FROM revocations WHERE topic = ? AND expires_at > ?',
        topic,
        nowMs,
      )
      .toArray()
      .map(({ actors, atMs, expiresAt }) => ({ revocation: { topic, actors, atMs }, expiresAt }))
  }

  sweepRevocations(nowMs: number): void {
    this.#sql.exec('DELETE FROM revocations WHERE expires_at <= ?', nowMs)
  }
}
