// The recent log in memory, framed, bounded by bytes and indexed by topic: returning readers get what they missed
// without touching Redis, at the cost of their own topics only.
import type { LogEntry } from '#server/app/log-ports.ts'
import { comparePositions, type Position } from '#shared/position.ts'

export type Framed = { position: Position; topicId: number; kind: LogEntry['kind']; data: string; frame: Buffer }

/** What an entry costs besides its frame: object, position, two array slots. Measured roughly; errs on the high side. */
const ENTRY_OVERHEAD_BYTES = 200

export class Ring {
  readonly #maxBytes: number
  #entries: Framed[] = []
  #byTopic = new Map<number, Framed[]>()
  #bytes = 0
  /** Everything after this position is here. Null: from the very beginning of the log. */
  #start: Position | null = null

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Begins anew: `start` is the position before the first entry that will be held. */
  reset(start: Position | null): void {
    this.#entries = []
    this.#byTopic = new Map()
    this.#bytes = 0
    this.#start = start
  }

  push(entry: Framed): void {
    this.#entries.push(entry)
    const ofTopic = this.#byTopic.get(entry.topicId)
    if (ofTopic) ofTopic.push(entry)
    else this.#byTopic.set(entry.topicId, [entry])
    this.#bytes += cost(entry)
    if (this.#bytes > this.#maxBytes) this.#evict()
  }

  /** A quarter at once, so that the arrays are not shifted for every entry. */
  #evict(): void {
    const target = this.#maxBytes * 0.75
    let dropped = 0
    while (this.#bytes > target && dropped < this.#entries.length - 1) {
      this.#bytes -= cost(this.#entries[dropped]!)
      dropped += 1
    }
    if (dropped === 0) return
    const start = this.#entries[dropped - 1]!.position
    this.#start = start
    this.#entries = this.#entries.slice(dropped)
    for (const [topicId, entries] of this.#byTopic) {
      const kept = entries.filter((entry) => comparePositions(entry.position, start) > 0)
      if (kept.length === 0) this.#byTopic.delete(topicId)
      else if (kept.length < entries.length) this.#byTopic.set(topicId, kept)
    }
  }

  get start(): Position | null {
    return this.#start
  }

  holdsAllAfter(position: Position): boolean {
    return this.#start === null || comparePositions(position, this.#start) >= 0
  }

  /** What these topics got after a position (and up to another), in the order of the log. */
  after(position: Position | null, topics: Iterable<number>, until: Position | null = null): Framed[] {
    const found: Framed[] = []
    for (const topicId of topics) {
      const entries = this.#byTopic.get(topicId)
      if (!entries) continue
      const end = until ? firstAfter(entries, until) : entries.length
      for (let i = firstAfter(entries, position); i < end; i++) found.push(entries[i]!)
    }
    return found.sort((a, b) => comparePositions(a.position, b.position))
  }
}

const cost = (entry: Framed) => entry.frame.length + ENTRY_OVERHEAD_BYTES

function firstAfter(entries: Framed[], position: Position | null): number {
  if (!position) return 0
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePositions(entries[middle]!.position, position) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
