// A person's read state as Redis holds it: one string with a header, one record per topic (rising by topic, so that a
// page finds its few topics by halving), and as JSON what few people have: lists of unread numbers and undoable layers.
// Segments are keys of their own. All numbers big-endian; server/redis/scripts/reads.lua reads and writes the same bytes.
//
//   header  generation f64 · version f64 · last operation f64 · run u32 · records u32
//   record  topic u32 · follow u32 · watermark f64 · highest segment + 1 u32 (0: none)
//   rest    {"u": {topic: [no …]}, "p": [{"id", "until", "t": {topic: {"h": up to, "a": [no …]}}}]}, or nothing
import type { Layer, PersonReads } from './person-reads.ts'
import type { Segments } from './segments.ts'

const HEADER_BYTES = 32
const RECORD_BYTES = 20

export type Packed = Buffer
export type SegmentBytes = { topicId: number; index: number; bytes: Uint8Array }
/** `segments`: those with a smaller index may be ours. */
export type PackedTopic = { follow: number; watermark: number; segments: number }
type Extras = { unread: Map<number, Set<number>>; layers: Layer[] }

const NO_EXTRAS: Extras = { unread: new Map(), layers: [] }

export const versionOf = (packed: Packed): number => packed.readDoubleBE(8)
/** Which start of Redis this state was last compared with Postgres under. */
export const runOf = (packed: Packed): number => packed.readUInt32BE(24)

const recordsOf = (packed: Packed): number => packed.readUInt32BE(28)

/** A topic of a packed state without unpacking the others; null when it is not there. */
export function findTopic(packed: Packed, topicId: number): PackedTopic | null {
  let low = 0
  let high = recordsOf(packed) - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const at = HEADER_BYTES + middle * RECORD_BYTES
    const found = packed.readUInt32BE(at)
    if (found === topicId)
      return {
        follow: packed.readUInt32BE(at + 4),
        watermark: packed.readDoubleBE(at + 8),
        segments: packed.readUInt32BE(at + 16),
      }
    if (found < topicId) low = middle + 1
    else high = middle - 1
  }
  return null
}

export function extrasOf(packed: Packed): Extras {
  const from = HEADER_BYTES + recordsOf(packed) * RECORD_BYTES
  return from < packed.length ? readExtras(packed.toString('utf8', from)) : NO_EXTRAS
}

export function unpack(packed: Packed, segments: Iterable<SegmentBytes>): PersonReads {
  const reads: PersonReads = {
    generation: packed.readDoubleBE(0),
    version: versionOf(packed),
    lastOperation: packed.readDoubleBE(16),
    topics: new Map(),
    ...extrasOf(packed),
  }
  for (let i = 0, at = HEADER_BYTES; i < recordsOf(packed); i++, at += RECORD_BYTES)
    reads.topics.set(packed.readUInt32BE(at), {
      follow: packed.readUInt32BE(at + 4),
      watermark: packed.readDoubleBE(at + 8),
      segments: new Map(),
    })
  for (const { topicId, index, bytes } of segments) reads.topics.get(topicId)?.segments.set(index, bytes)
  return reads
}

export function pack(reads: PersonReads, run: number): { packed: Packed; segments: SegmentBytes[] } {
  const extras = writeExtras(reads)
  const size = HEADER_BYTES + reads.topics.size * RECORD_BYTES
  const packed = Buffer.alloc(size + Buffer.byteLength(extras))
  packed.writeDoubleBE(reads.generation, 0)
  packed.writeDoubleBE(reads.version, 8)
  packed.writeDoubleBE(reads.lastOperation, 16)
  packed.writeUInt32BE(run, 24)
  packed.writeUInt32BE(reads.topics.size, 28)
  const segments: SegmentBytes[] = []
  let at = HEADER_BYTES
  for (const [topicId, topic] of [...reads.topics].sort(([a], [b]) => a - b)) {
    packed.writeUInt32BE(topicId, at)
    packed.writeUInt32BE(topic.follow, at + 4)
    packed.writeDoubleBE(topic.watermark, at + 8)
    packed.writeUInt32BE(topSegment(topic.segments) + 1, at + 16)
    at += RECORD_BYTES
    for (const [index, bytes] of topic.segments) segments.push({ topicId, index, bytes })
  }
  packed.write(extras, size)
  return { packed, segments }
}

const topSegment = (segments: Segments): number => Math.max(-1, ...segments.keys())

type WireLayer = { id: string; until: number; t: Record<string, { h: number; a: unknown }> }

/** Lua writes an empty list like an empty object. */
const numbers = (value: unknown): Set<number> => new Set(Array.isArray(value) ? (value as number[]) : [])

export function readExtras(text: string): Extras {
  const { u = {}, p = [] } = JSON.parse(text) as { u?: Record<string, unknown>; p?: WireLayer[] }
  const unread = Object.entries(u).map(([topicId, listed]) => [Number(topicId), numbers(listed)] as const)
  const layers = (Array.isArray(p) ? p : []).map(({ id, until, t }): Layer => {
    const topics = Object.entries(t).map(
      ([topicId, { h, a }]) => [Number(topicId), { upTo: h, aside: numbers(a) }] as const,
    )
    return { id, until, topics: new Map(topics) }
  })
  return { unread: new Map(unread), layers }
}

export function writeExtras({ unread, layers }: Extras): string {
  if (unread.size === 0 && layers.length === 0) return ''
  const u = Object.fromEntries([...unread].map(([topicId, listed]) => [topicId, [...listed]]))
  const p = layers.map(
    ({ id, until, topics }): WireLayer => ({
      id,
      until,
      t: Object.fromEntries([...topics].map(([topicId, { upTo, aside }]) => [topicId, { h: upTo, a: [...aside] }])),
    }),
  )
  return JSON.stringify({ u, p })
}
