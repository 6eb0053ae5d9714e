// How much of Redis people's keys take, by kind, estimated from random keys: asking every key would cost more than it
// tells. The keys of the log are few and are asked exactly (delivery-view.ts).
import type { RedisConnection } from './connection.ts'

/** By the beginning of a key; what is not listed is `other`. */
const FAMILIES: [beginning: string, family: KeyFamily][] = [
  ['user:reads:', 'reads'],
  ['reads:', 'reads'],
  ['user:live:', 'presence'],
  ['polls:', 'limits'],
  ['ingest:', 'limits'],
  ['{activities}:', 'log'],
]
export const KEY_FAMILIES = ['reads', 'presence', 'limits', 'log', 'other'] as const
export type KeyFamily = (typeof KEY_FAMILIES)[number]
export type MemorySample = { keys: number; bytes: Record<Exclude<KeyFamily, 'log'>, number> }

const SAMPLED = 200

export const familyOf = (key: string): KeyFamily =>
  FAMILIES.find(([beginning]) => key.startsWith(beginning))?.[1] ?? 'other'

export async function sampleMemory(client: RedisConnection, sampled = SAMPLED): Promise<MemorySample> {
  const command = async <T>(...args: string[]) => (await client.sendCommand(args)) as unknown as T
  const keys = Number(await command('DBSIZE'))
  const bytes = { reads: 0, presence: 0, limits: 0, other: 0 }
  if (keys === 0) return { keys, bytes }
  const names = await Promise.all(Array.from({ length: sampled }, () => command<string | null>('RANDOMKEY')))
  const drawn = names.filter((name) => name !== null)
  const sizes = await Promise.all(drawn.map((name) => command<number | null>('MEMORY', 'USAGE', name, 'SAMPLES', '1')))
  for (const [at, name] of drawn.entries()) {
    const family = familyOf(name)
    // Each drawn key stands for its share of all keys.
    if (family !== 'log') bytes[family] += ((sizes[at] ?? 0) * keys) / drawn.length
  }
  return { keys, bytes }
}
