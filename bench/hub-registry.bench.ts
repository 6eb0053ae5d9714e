// `npm run bench -- hub-registry [--actors 50000]`
// The registry in memory, full, beside a bare Map; and the ring.
import { parseArgs } from 'node:util'
import { Registry, type StoredRegistration } from '../edge/hub/core/registry.ts'
import { ConsistentHashRing, shardNames } from '../edge/hub/core/ring.ts'
import { round } from './measure.ts'

export const summary = 'Signal Hub: looking up an actor among 50,000, finding its shard, discovering by pattern'

const LOOKUPS = 1_000_000

const nsEach = (times: number, act: (n: number) => unknown): number => {
  for (let n = 0; n < Math.min(10_000, times); n++) act(n)
  const started = performance.now()
  for (let n = 0; n < times; n++) act(n)
  return round(((performance.now() - started) * 1_000_000) / times, 0)
}

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({ args, options: { actors: { type: 'string' } } })
  const count = Number(values.actors ?? 50_000)
  const stored = Array.from(
    { length: count },
    (_, row): StoredRegistration => ({
      ...{
        actorAddress: `@(bench/u${row % 997}-${row})`,
        capabilities: ['a'],
        metadata: {},
        connectionId: String(row),
      },
      ...{ registeredAt: row, expiresAt: Number.MAX_SAFE_INTEGER, version: 1, renewalToken: 'x', row },
    }),
  )
  const names = stored.map(({ actorAddress }) => actorAddress)
  const name = (n: number) => names[(n * 7_919) % count]!
  const started = performance.now()
  const registry = new Registry(stored)
  const restoreMs = round(performance.now() - started)
  const bare = new Map(stored.map((one) => [one.actorAddress, one]))
  const ring = new ConsistentHashRing(shardNames(10))
  const [lookupNs, bareNs] = [
    nsEach(LOOKUPS, (n) => registry.get(name(n), 0)),
    nsEach(LOOKUPS, (n) => bare.get(name(n))),
  ]
  return {
    ...{ actors: count, lookupNs, bareMapNs: bareNs, timesBareMap: round(lookupNs / bareNs) },
    shardOfNs: nsEach(LOOKUPS, (n) => ring.shardOf(name(n))),
    discoverMs: round(nsEach(20, () => registry.discover({ pattern: '@(bench/u7-*)' }, 0)) / 1_000_000),
    restoreMs,
    goals: { lookupMs: 10 },
    met: lookupNs < 10_000_000,
  }
}
