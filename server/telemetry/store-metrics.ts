// Figures of what remembers: the pool of database connections, read state, publishing, and who fills Redis.
import { Counter, Gauge, type Registry } from 'prom-client'

type Pool = { totalCount: number; idleCount: number; waitingCount: number; options: { max?: number } }

export function watchPool(registry: Registry, pool: Pool): void {
  const connections = new Gauge({
    name: 'pg_pool_connections',
    help: 'Connections to Postgres that this process holds, by what they do.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
    },
  })
  connections.set({ state: 'busy' }, 0)
  new Gauge({
    name: 'pg_pool_waiting',
    help: 'Queries that wait for a connection to Postgres.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount)
    },
  })
  new Gauge({ name: 'pg_pool_max', help: 'Connections to Postgres that this process may hold.', registers: [registry] })
    // The driver's own default.
    .set(pool.options.max ?? 10)
}

export function watchReads(registry: Registry, reads: { unsaved: () => number; isAway: () => boolean }): void {
  new Gauge({
    name: 'reads_unsaved',
    help: 'People whose changed read state this process has not yet saved in Postgres.',
    registers: [registry],
    collect() {
      this.set(reads.unsaved())
    },
  })
  new Gauge({
    name: 'reads_without_redis',
    help: '1 while this process keeps read state in Postgres because Redis is away.',
    registers: [registry],
    collect() {
      this.set(reads.isAway() ? 1 : 0)
    },
  })
}

export function createMemoryMetrics(registry: Registry) {
  const keys = new Gauge({ name: 'redis_keys', help: 'Keys in Redis.', registers: [registry] })
  const bytes = new Gauge({
    name: 'redis_people_memory_bytes',
    help: 'Memory of what Redis keeps for people and limits, by kind; estimated from random keys.',
    labelNames: ['family'] as const,
    registers: [registry],
  })
  for (const family of ['reads', 'presence', 'limits', 'other']) bytes.set({ family }, 0)
  return {
    show(sample: { keys: number; bytes: Record<string, number> }): void {
      keys.set(sample.keys)
      for (const [family, size] of Object.entries(sample.bytes)) bytes.set({ family }, size)
    },
  }
}

/** People in the product, or tools with a key. */
export const SOURCES = ['app', 'ingest'] as const
export type PublishSource = (typeof SOURCES)[number]

export function createPublishMetrics(registry: Registry) {
  const published = new Counter({
    name: 'activities_published_total',
    help: 'Activities stored, by where they came from.',
    labelNames: ['source'] as const,
    registers: [registry],
  })
  for (const source of SOURCES) published.inc({ source }, 0)
  return { published: (source: PublishSource) => published.inc({ source }) }
}
