// What is unread, by arithmetic on what was read: numbers above the watermark that have no bit, and those listed as unread,
// all above the topic's floor and up to its head, without what the person wrote and what was deleted. Nothing is counted up or down, so nothing
// can drift.
import { type PersonReads, readUpTo } from './person-reads.ts'
import { bitRanges, countBits, hasBit, type Range, type Segments, segmentOf, subtract } from './segments.ts'

/** A topic as one person has read it. */
export type ReadView = { upTo: number; segments: Segments; listed: ReadonlySet<number> }
export type Follow = { id: number; start: number }

const NONE: ReadonlySet<number> = new Set()

/** `follow` null: a topic that the person looks at without following. */
export function viewOf(reads: PersonReads, topicId: number, follow: Follow | null): ReadView {
  const topic = reads.topics.get(topicId)
  const isOlder = topic !== undefined && follow !== null && follow.id > topic.follow
  if (!topic || (isOlder && topic.follow > 0)) return { upTo: follow?.start ?? 0, segments: new Map(), listed: NONE }
  const listed = reads.unread.get(topicId) ?? NONE
  const upTo = readUpTo(reads, topicId)
  if (!isOlder) return { upTo, segments: topic.segments, listed }
  return {
    upTo: Math.max(upTo, follow.start),
    segments: topic.segments,
    listed: new Set([...listed].filter((no) => no > follow.start)),
  }
}

export const isRead = ({ upTo, segments, listed }: ReadView, no: number): boolean =>
  !listed.has(no) && (no <= upTo || hasBit(segments.get(segmentOf(no)), no))

export type Bounds = { floor: number; head: number }

/** Numbers that are never unread, rising: what the person wrote, and what was deleted. */
export type Skipped = { own: readonly number[]; deleted: readonly number[] }

export const isSkipped = ({ own, deleted }: Skipped, no: number): boolean =>
  hasNumber(own, no) || hasNumber(deleted, no)

export function countUnread(view: ReadView, { floor, head }: Bounds, skipped: Skipped): number {
  const { own, deleted } = skipped
  const from = Math.max(view.upTo, floor) + 1
  let count = Math.max(0, head - from + 1)
  if (count > 0) {
    const hasNoBit = (no: number) => !hasBit(view.segments.get(segmentOf(no)), no)
    if (view.segments.size > 0) count -= countBits(view.segments, from, head)
    for (let i = firstAbove(own, from - 1); i < own.length && own[i]! <= head; i++) if (hasNoBit(own[i]!)) count -= 1
    for (let i = firstAbove(deleted, from - 1); i < deleted.length && deleted[i]! <= head; i++)
      if (hasNoBit(deleted[i]!) && !hasNumber(own, deleted[i]!)) count -= 1
  }
  for (const no of view.listed) if (no > floor && no <= head && no < from && !isSkipped(skipped, no)) count += 1
  return count
}

/** The unread numbers as ranges, rising. */
export function unreadRanges(view: ReadView, { floor, head }: Bounds, { own, deleted }: Skipped): Range[] {
  const from = Math.max(view.upTo, floor) + 1
  const listed = [...view.listed].filter((no) => no > floor && no <= head && no < from).sort((a, b) => a - b)
  const above: Range[] = from <= head ? subtract([[from, head]], bitRanges(view.segments, from - 1)) : []
  const all: Range[] = [...join(listed), ...above]
  const without = (ranges: Range[], numbers: readonly number[]) =>
    numbers.length === 0 ? ranges : subtract(ranges, join(numbers.slice(firstAbove(numbers, floor))))
  return without(without(all, own), deleted)
}

/** The newest `limit` numbers of these ranges, not above `below`, again as ranges. */
export function newestOf(ranges: readonly Range[], below: number, limit: number): Range[] {
  const newest: Range[] = []
  let left = limit
  for (let i = ranges.length - 1; i >= 0 && left > 0; i--) {
    const [from, to] = [ranges[i]![0], Math.min(ranges[i]![1], below)]
    if (to < from) continue
    const first = Math.max(from, to - left + 1)
    newest.push([first, to])
    left -= to - first + 1
  }
  return newest
}

export const sizeOf = (ranges: readonly Range[]): number => ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0)

/** Index of the first number above `no` in a rising list. */
export function firstAbove(rising: readonly number[], no: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rising[middle]! <= no) low = middle + 1
    else high = middle
  }
  return low
}

export const hasNumber = (rising: readonly number[], no: number): boolean => rising[firstAbove(rising, no) - 1] === no

function join(rising: readonly number[]): Range[] {
  const ranges: [number, number][] = []
  for (const no of rising) {
    const last = ranges.at(-1)
    if (last && last[1] === no - 1) last[1] = no
    else ranges.push([no, no])
  }
  return ranges
}
