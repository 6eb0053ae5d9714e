// A person's read state as Postgres keeps it: JSON that somebody can read, with runs of bits as ranges.

import { readExtras, writeExtras } from './packed.ts'
import type { PersonReads, TopicReads } from './person-reads.ts'
import { bitRanges, type Range, type Segments, setBit } from './segments.ts'

/** Per topic: follow, watermark, ranges read above it. */
export type Kept = { topics: Record<string, [follow: number, watermark: number, read: Range[]]>; extras: string }

export function toKept(reads: PersonReads): Kept {
  const topics = [...reads.topics].map(([id, { follow, watermark, segments }]): [number, Kept['topics'][string]] => [
    id,
    [follow, watermark, bitRanges(segments, watermark)],
  ])
  return { topics: Object.fromEntries(topics), extras: writeExtras(reads) }
}

export function fromKept(
  kept: Kept,
  { generation, version, lastOperation }: Pick<PersonReads, 'generation' | 'version' | 'lastOperation'>,
): PersonReads {
  const topics = Object.entries(kept.topics).map(
    ([id, [follow, watermark, read]]) => [Number(id), topicOf(follow, watermark, read)] as const,
  )
  const extras = kept.extras === '' ? { unread: new Map(), layers: [] } : readExtras(kept.extras)
  return { generation, version, lastOperation, topics: new Map(topics), ...extras }
}

function topicOf(follow: number, watermark: number, read: Range[]): TopicReads {
  const segments: Segments = new Map()
  for (const [from, to] of read) {
    // Older states have everything as ranges, the first of which is the watermark's.
    if (from <= watermark + 1) watermark = Math.max(watermark, to)
    else for (let no = from; no <= to; no++) setBit(segments, no)
  }
  return { follow, watermark, segments }
}
