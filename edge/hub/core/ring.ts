// Which shard a name belongs to: consistent hashing, so that another shard moves only its own part. FNV-1a over UTF-8
// bytes, with a last mixing step, because plain FNV of names that differ in their last letters lies close together.
import { VIRTUAL_NODES } from './tuning.ts'

const encoder = new TextEncoder()

export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Spreads what FNV left close together. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

export class ConsistentHashRing {
  readonly #points: { at: number; shard: string }[]

  constructor(shards: readonly string[], virtualNodes = VIRTUAL_NODES) {
    if (shards.length === 0) throw new Error('A ring needs a shard')
    this.#points = [...new Set(shards)]
      .flatMap((shard) =>
        Array.from({ length: virtualNodes }, (_, node) => ({ at: mix(fnv1a(`${shard}:vnode:${node}`)), shard })),
      )
      // Two shards on one point are both kept; the name decides, so that every machine has the same order.
      .sort((a, b) => a.at - b.at || (a.shard < b.shard ? -1 : 1))
  }

  shardOf(key: string): string {
    const hash = mix(fnv1a(key))
    let [low, high] = [0, this.#points.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#points[middle]!.at < hash) low = middle + 1
      else high = middle
    }
    return this.#points[low % this.#points.length]!.shard
  }
}

/** The shards of a project at some moment; `next` while one ring is replaced by another. */
export type RingView = {
  version: number
  shards: string[]
  next: string[] | null
  /** Shards that are given up: nothing is routed to them, what they keep is fetched when they answer. */
  failed: string[]
}

export const shardName = (index: number): string => `signal-hub-shard-${index}`
export const shardNames = (count: number): string[] => Array.from({ length: count }, (_, index) => shardName(index))

const SHARD_NAME = /^signal-hub-shard-\d{1,3}$/
export const isShardName = (text: string): boolean => SHARD_NAME.test(text)

const rings = new Map<string, ConsistentHashRing>()

function ringOf(shards: string[]): ConsistentHashRing {
  const key = shards.join()
  const known = rings.get(key) ?? new ConsistentHashRing(shards)
  if (rings.size > 8) rings.clear()
  rings.set(key, known)
  return known
}

/** Who is asked about a key now. While rings change it is the old owner, who knows what has moved. */
export function ownerOf(view: RingView, key: string): string {
  const owner = ringOf(view.shards).shardOf(key)
  return view.next !== null && view.failed.includes(owner) ? ringOf(view.next).shardOf(key) : owner
}

/** Where a key will be when the change is over. */
export const nextOwnerOf = (view: RingView, key: string): string => ringOf(view.next ?? view.shards).shardOf(key)

/** Every shard that may hold something. */
export const allShards = (view: RingView): string[] => [...new Set([...view.shards, ...(view.next ?? [])])]
/** Every shard that may be asked. */
export const liveShards = (view: RingView): string[] => allShards(view).filter((shard) => !view.failed.includes(shard))
