// A shard's figures: what it counted, and how it stands at this moment.
import type { ShardMetrics } from './core/metrics-text.ts'
import { capacityOf } from './core/registry.ts'
import { maxActors } from './env.ts'
import type { Shard } from './shard.ts'

export async function shardMetrics(shard: Shard, broadcastsWaiting: number): Promise<ShardMetrics> {
  const { actors, utilization } = capacityOf(shard.registry.size, maxActors(shard.env))
  return {
    shard: shard.name,
    counters: await shard.counters.all(),
    gauges: {
      signal_hub_actors: actors,
      signal_hub_capacity_utilization: utilization,
      signal_hub_connections_active: shard.connections.count(),
      signal_hub_queue_depth: shard.storage.inboxCount() + broadcastsWaiting,
      signal_hub_storage_bytes: shard.storage.sql.databaseSize,
    },
  }
}
