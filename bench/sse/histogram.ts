// Counts of durations in buckets that grow with the duration: a few kilobytes, two per cent of error, added up over processes.

const PER_OCTAVE = 32
const OCTAVES = 32

export class Histogram {
  readonly counts: Uint32Array

  constructor(counts: ArrayLike<number> = new Uint32Array(PER_OCTAVE * OCTAVES)) {
    this.counts = Uint32Array.from(counts)
  }

  add(microseconds: number): void {
    const bucket = Math.floor(Math.log2(Math.max(1, microseconds)) * PER_OCTAVE)
    this.counts[Math.min(bucket, this.counts.length - 1)]! += 1
  }

  merge(other: Histogram): void {
    for (let i = 0; i < this.counts.length; i++) this.counts[i]! += other.counts[i]!
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0)
  }

  /** In milliseconds; NaN without any. */
  quantile(share: number): number {
    let left = this.total * share
    for (let i = 0; i < this.counts.length; i++) {
      left -= this.counts[i]!
      if (left < 0) return 2 ** ((i + 0.5) / PER_OCTAVE) / 1_000
    }
    return Number.NaN
  }
}
