// What a shard has counted. Written down, because a shard sleeps between two looks of Prometheus and would begin again from
// zero: now and then, and whenever it is shown, so that a figure that was seen never goes back. Nothing that is sent waits
// for this to be on disk.
import type { Connections } from './connections.ts'
import type { CounterName } from './core/metrics-text.ts'

/** Less than the ten seconds after which an idle object may sleep would be too often, much more would keep it awake. */
const FLUSH_MS = 5_000
const KEY = 'counters'
export const LATENCY_BUCKETS_S = [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 120]

type Counted = { name: string; labels: string; value: number }

export class HubCounters {
  readonly #ctx: DurableObjectState
  readonly #connections: Connections
  readonly #values: Map<string, Counted>
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(ctx: DurableObjectState, connections: Connections) {
    this.#ctx = ctx
    this.#connections = connections
    const stored = ctx.storage.kv.get<Counted[]>(KEY) ?? []
    this.#values = new Map(stored.map((one) => [keyOf(one), one]))
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

  async all(): Promise<Counted[]> {
    await this.#write()
    return [...this.#values.values()]
  }

  #add(name: string, labels: string, by: number): void {
    const key = keyOf({ name, labels })
    const known = this.#values.get(key)
    if (known === undefined) this.#values.set(key, { name, labels, value: by })
    else known.value += by
    this.#timer ??= setTimeout(() => void this.#write(), FLUSH_MS)
  }

  async #write(): Promise<void> {
    // Sent frames are counted where they are written, too often for a Map.
    const sent = this.#connections.takeSent()
    if (sent > 0) this.#add('signal_hub_messages_sent_total', '', sent)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#ctx.storage.put(KEY, [...this.#values.values()], { allowUnconfirmed: true })
  }
}

const keyOf = ({ name, labels }: { name: string; labels: string }): string => `${name}{${labels}}`
