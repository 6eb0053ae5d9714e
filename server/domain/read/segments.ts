// Bitmaps of topic numbers in segments: bit `no % SEGMENT_BITS` of segment `no / SEGMENT_BITS`, highest bit of a byte
// first, as Redis counts them. A segment may be shorter than it could be; what is missing is not set.

export const SEGMENT_BITS = 4_096

/** Both ends included. */
export type Range = readonly [from: number, to: number]

export const segmentOf = (no: number): number => Math.floor(no / SEGMENT_BITS)

export function hasBit(segment: Uint8Array | null | undefined, no: number): boolean {
  const at = no % SEGMENT_BITS
  return (((segment?.[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1
}

export type Segments = Map<number, Uint8Array>

export function setBit(segments: Segments, no: number): void {
  let segment = segments.get(segmentOf(no))
  if (!segment || segment.length < SEGMENT_BITS / 8) {
    const whole = new Uint8Array(SEGMENT_BITS / 8)
    if (segment) whole.set(segment)
    segment = whole
    segments.set(segmentOf(no), segment)
  }
  const at = no % SEGMENT_BITS
  segment[at >> 3]! |= 128 >> (at & 7)
}

export function clearBit(segments: Segments, no: number): void {
  const segment = segments.get(segmentOf(no))
  const at = no % SEGMENT_BITS
  if (segment && at >> 3 < segment.length) segment[at >> 3]! &= ~(128 >> (at & 7))
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length)

/** How many numbers in `from` to `to` have their bit set; by bytes, so that long ranges cost little. */
export function countBits(segments: Segments, from: number, to: number): number {
  let count = 0
  for (const [index, segment] of segments) {
    const base = index * SEGMENT_BITS
    const first = Math.max(from, base)
    const last = Math.min(to, base + segment.length * 8 - 1)
    let no = first
    while (no <= last) {
      if (no % 8 === 0 && no + 7 <= last) {
        count += ONES[segment[(no - base) >> 3]!]!
        no += 8
      } else {
        if (hasBit(segment, no)) count += 1
        no += 1
      }
    }
  }
  return count
}

/** Runs of set bits above `above`, in order. */
export function bitRanges(segments: Segments, above: number): Range[] {
  const ranges: [number, number][] = []
  for (const index of [...segments.keys()].sort((a, b) => a - b)) {
    const segment = segments.get(index)!
    const base = index * SEGMENT_BITS
    for (let byte = 0; byte < segment.length; byte++) {
      if (segment[byte] === 0) continue
      for (let bit = 0; bit < 8; bit++) {
        const no = base + byte * 8 + bit
        if (no <= above || ((segment[byte]! >> (7 - bit)) & 1) === 0) continue
        const last = ranges.at(-1)
        if (last && last[1] === no - 1) last[1] = no
        else ranges.push([no, no])
      }
    }
  }
  return ranges
}

/** `of` without `taken`; both in order and without overlaps. */
export function subtract(of: readonly Range[], taken: readonly Range[]): Range[] {
  const left: Range[] = []
  let at = 0
  for (const [from, to] of of) {
    let next = from
    while (at < taken.length && taken[at]![1] < next) at += 1
    for (let i = at; i < taken.length && taken[i]![0] <= to && next <= to; i++) {
      if (taken[i]![0] > next) left.push([next, taken[i]![0] - 1])
      next = taken[i]![1] + 1
    }
    if (next <= to) left.push([next, to])
  }
  return left
}
