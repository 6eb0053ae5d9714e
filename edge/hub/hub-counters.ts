// What a shard has counted. Kept in SQLite, because a shard sleeps between two looks of Prometheus and would begin again
// from zero; written at most once a second.
import type { Connections } from './connections.ts'
import type { CounterName } from './core/metrics-text.ts'
import type { HubStorage } from './hub-storage.ts'

const FLUSH_MS = 1_000
export const LATENCY_BUCKETS_S = [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 120]

type Counted = { name: string; labels: string; value: number }

export class HubCounters {
  readonly #storage: HubStorage
  readonly #connections: Connections
  readonly #values = new Map<string, Counted>()
  readonly #dirty = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(storage: HubStorage, connections: Connections) {
    this.#storage = storage
    this.#connections = connections
    storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS counters (name TEXT, labels TEXT, value REAL NOT NULL, PRIMARY KEY (name, labels)) WITHOUT ROWID`,
    )
    for (const row of storage.sql.exec<Counted>('SELECT * FROM counters')) this.#values.set(keyOf(row), row)
  }

  count(name: CounterName, label = '', by = 1): void {
    this.#add(name, label, by)
  }

  /** A histogram as the counters it consists of. */
  observeBroadcast(seconds: number): void {
    for (const bound of LATENCY_BUCKETS_S)
      this.#add('signal_hub_broadcast_latency_seconds_bucket', `le="${bound}"`, seconds <= bound ? 1 : 0)
    this.#add('signal_hub_broadcast_latency_seconds_bucket', 'le="+Inf"', 1)
    this.#add('signal_hub_broadcast_latency_seconds_sum', '', seconds)
    this.#add('signal_hub_broadcast_latency_seconds_count', '', 1)
  }

  all(): Counted[] {
    this.#collect()
    return [...this.#values.values()]
  }

  #add(name: string, labels: string, by: number): void {
    const key = keyOf({ name, labels })
    const known = this.#values.get(key)
    if (known === undefined) this.#values.set(key, { name, labels, value: by })
    else known.value += by
    this.#dirty.add(key)
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  /** Sent frames are counted where they are written, too often for a Map. */
  #collect(): void {
    const sent = this.#connections.takeSent()
    if (sent > 0) this.#add('signal_hub_messages_sent_total', '', sent)
  }

  #flush(): void {
    this.#collect()
    for (const key of this.#dirty) {
      const { name, labels, value } = this.#values.get(key)!
      this.#storage.sql.exec('INSERT OR REPLACE INTO counters VALUES (?, ?, ?)', name, labels, value)
    }
    this.#dirty.clear()
    this.#timer = null
  }
}

const keyOf = ({ name, labels }: { name: string; labels: string }): string => `${name}{${labels}}`
