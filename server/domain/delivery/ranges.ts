// Finished events as ranges of numbers: what comes in order becomes one range, so that a thousand of them are one row.
import type { Place } from './handlers.ts'

/** Both ends included. */
export type SeqRange = { topicId: number; from: number; to: number }

export function toRanges(places: readonly Place[]): SeqRange[] {
  const byTopic = new Map<number, number[]>()
  for (const { topicId, seq } of places) {
    const known = byTopic.get(topicId)
    if (known) known.push(seq)
    else byTopic.set(topicId, [seq])
  }
  const ranges: SeqRange[] = []
  for (const [topicId, seqs] of [...byTopic].sort(([a], [b]) => a - b)) {
    seqs.sort((a, b) => a - b)
    let current: SeqRange | null = null
    for (const seq of seqs) {
      if (current && seq <= current.to + 1) current.to = Math.max(current.to, seq)
      else {
        current = { topicId, from: seq, to: seq }
        ranges.push(current)
      }
    }
  }
  return ranges
}
