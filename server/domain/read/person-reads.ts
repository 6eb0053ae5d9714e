// What one person has read, and what may happen to it. Per topic a watermark ("all up to here is read"), bits above it,
// and numbers that were explicitly marked unread below it. "Mark all" lies over this as a layer that can be taken off for
// a minute; marks always reach what lies beneath, so that they survive that. server/redis/scripts/reads.lua does the same
// in Redis; this one serves while Redis is away, and the two are compared by tests.
import { clearBit, hasBit, SEGMENT_BITS, type Segments, segmentOf, setBit } from './segments.ts'

export type TopicReads = {
  /** The follow that this belongs to: whoever follows anew starts anew. 0: marked without following. */
  follow: number
  watermark: number
  segments: Segments
}

/** A "mark all" that can still be undone: per topic how far it reached, and what it set aside of the unread list. */
export type Layer = { id: string; until: number; topics: Map<number, { upTo: number; aside: Set<number> }> }

export type PersonReads = {
  generation: number
  /** Raised by every change. */
  version: number
  /** The newest operation from Postgres that is contained. */
  lastOperation: number
  topics: Map<number, TopicReads>
  /** Explicitly unread, at or below what counts as read. */
  unread: Map<number, Set<number>>
  /** Oldest first. */
  layers: Layer[]
}

/** Where a topic begins for a person: the follow, the number up to which it was read then, and the topic's floor. */
export type Place = { topicId: number; follow: number; start: number; floor: number }

export type Operation =
  /** `expiresAt`: when the newest of these numbers has left the window. All of a group lie in one segment. */
  | { kind: 'mark'; id: string; read: boolean; groups: (Place & { expiresAt: number; numbers: number[] })[] }
  | { kind: 'all'; id: string; until: number; topics: (Place & { upTo: number })[] }
  | { kind: 'undo'; id: string; undo: string }
  | { kind: 'forget'; id: string; topicId: number; follow: number }

/** An operation that waited in Postgres: `order` is its place there, `version` what its author was told. */
export type Stored = { operation: Operation; order: number; version: number }

/** More at once and the oldest can no longer be undone. */
export const LAYERS_MAX = 8

export const emptyReads = (): PersonReads => ({
  generation: 0,
  version: 0,
  lastOperation: 0,
  topics: new Map(),
  unread: new Map(),
  layers: [],
})

/** Applies an operation in place; false when it changes nothing (an undo that comes too late, a repeated "all"). */
export function applyOperation(reads: PersonReads, operation: Operation, now: number): boolean {
  fold(reads, now)
  switch (operation.kind) {
    case 'mark':
      for (const group of operation.groups) markGroup(reads, group, operation.read)
      break
    case 'all': {
      if (reads.layers.some(({ id }) => id === operation.id)) return false
      if (reads.layers.length >= LAYERS_MAX) foldFirst(reads)
      const layer: Layer = { id: operation.id, until: operation.until, topics: new Map() }
      for (const place of operation.topics) {
        enter(reads, place)
        const aside = new Set<number>()
        const listed = reads.unread.get(place.topicId) ?? new Set()
        for (const no of listed) if (no <= place.upTo && listed.delete(no)) aside.add(no)
        layer.topics.set(place.topicId, { upTo: place.upTo, aside })
        compact(reads.topics.get(place.topicId)!)
      }
      reads.layers.push(layer)
      break
    }
    case 'undo':
      if (!takeOff(reads, operation.undo)) return false
      break
    case 'forget': {
      const topic = reads.topics.get(operation.topicId)
      if (topic && topic.follow <= operation.follow) forgetTopic(reads, operation.topicId)
    }
  }
  tidy(reads)
  reads.version += 1
  return true
}

/** As `applyOperation`, once: what is contained already is left out. */
export function applyStored(reads: PersonReads, { operation, order, version }: Stored, now: number): void {
  if (order <= reads.lastOperation) return
  reads.lastOperation = order
  applyOperation(reads, operation, now)
  reads.version = Math.max(reads.version, version)
}

/** Up to here everything counts as read unless it is listed as unread. */
export function readUpTo(reads: PersonReads, topicId: number): number {
  let upTo = reads.topics.get(topicId)?.watermark ?? 0
  for (const layer of reads.layers) upTo = Math.max(upTo, layer.topics.get(topicId)?.upTo ?? 0)
  return upTo
}

function enter(reads: PersonReads, { topicId, follow, start, floor }: Place): TopicReads {
  let topic = reads.topics.get(topicId)
  // A later follow starts anew. Marks from before the first one stay, as reading came before following.
  if (topic && follow > topic.follow && topic.follow > 0) {
    forgetTopic(reads, topicId)
    topic = undefined
  }
  if (!topic) {
    topic = { follow, watermark: start, segments: new Map() }
    reads.topics.set(topicId, topic)
  } else if (follow > topic.follow) {
    topic.follow = follow
    topic.watermark = Math.max(topic.watermark, start)
    dropListed(reads, topicId, start)
  }
  if (floor > topic.watermark) topic.watermark = floor
  dropListed(reads, topicId, floor)
  return topic
}

function dropListed(reads: PersonReads, topicId: number, upTo: number): void {
  const listed = reads.unread.get(topicId)
  if (listed) for (const no of listed) if (no <= upTo) listed.delete(no)
}

type Group = (Operation & { kind: 'mark' })['groups'][number]

function markGroup(reads: PersonReads, group: Group, read: boolean): void {
  const { topicId } = group
  const topic = enter(reads, group)
  for (const no of group.numbers) {
    if (read) {
      reads.unread.get(topicId)?.delete(no)
      for (const layer of reads.layers) layer.topics.get(topicId)?.aside.delete(no)
      if (no > topic.watermark) setBit(topic.segments, no)
    } else if (no > group.floor) {
      if (no > topic.watermark) clearBit(topic.segments, no)
      if (no <= readUpTo(reads, topicId)) {
        const listed = reads.unread.get(topicId)
        if (listed) listed.add(no)
        else reads.unread.set(topicId, new Set([no]))
      }
    }
  }
  compact(topic)
}

/** A layer that can no longer be undone becomes part of what lies beneath. In order, or an older one could come back. */
function fold(reads: PersonReads, now: number): void {
  while (reads.layers[0] && reads.layers[0].until <= now) foldFirst(reads)
}

function foldFirst(reads: PersonReads): void {
  for (const [topicId, { upTo }] of reads.layers.shift()?.topics ?? []) {
    const topic = reads.topics.get(topicId)
    if (!topic) continue
    topic.watermark = Math.max(topic.watermark, upTo)
    compact(topic)
  }
}

function takeOff(reads: PersonReads, id: string): boolean {
  const at = reads.layers.findIndex((layer) => layer.id === id)
  if (at < 0) return false
  const [layer] = reads.layers.splice(at, 1)
  for (const [topicId, { aside }] of layer!.topics) {
    const listed = reads.unread.get(topicId) ?? new Set<number>()
    const later = reads.layers.slice(at).flatMap((other) => other.topics.get(topicId) ?? [])
    for (const no of aside) (later.find(({ upTo }) => no <= upTo)?.aside ?? listed).add(no)
    const upTo = readUpTo(reads, topicId)
    // Above the watermark a number is unread by itself, as its bit is not set.
    for (const no of listed) if (no > upTo) listed.delete(no)
    reads.unread.set(topicId, listed)
  }
  return true
}

function forgetTopic(reads: PersonReads, topicId: number): void {
  reads.topics.delete(topicId)
  reads.unread.delete(topicId)
  for (const layer of reads.layers) layer.topics.delete(topicId)
}

/** A run next to the watermark becomes part of it. */
function compact(topic: TopicReads): void {
  while (hasBit(topic.segments.get(segmentOf(topic.watermark + 1)), topic.watermark + 1)) topic.watermark += 1
}

/** What lies below the watermark is dropped. */
function tidy(reads: PersonReads): void {
  for (const topic of reads.topics.values()) {
    for (const index of topic.segments.keys())
      if ((index + 1) * SEGMENT_BITS - 1 <= topic.watermark) topic.segments.delete(index)
  }
  for (const [topicId, listed] of reads.unread) if (listed.size === 0) reads.unread.delete(topicId)
}
