// Keys are hashed over 64 virtual partitions, which are dealt over the real ones. Changing the number of partitions, or
// relieving a hot one, moves as few of them as possible.
import { HOT_DEPTH, VIRTUAL_PARTITIONS } from './tuning.ts'

/** Owner by virtual partition. */
export type Owners = number[]

/** `digest`: SHA-256 of the key. */
export const virtualPartitionOf = (digest: Uint8Array): number => digest[0]! % VIRTUAL_PARTITIONS

/** Every owner has as many as any other, give or take one; whoever may keep one keeps it. */
export function dealOwners(before: readonly number[], partitions: number): Owners {
  const least = Math.floor(VIRTUAL_PARTITIONS / partitions)
  const withMore = VIRTUAL_PARTITIONS % partitions
  const counts = Array<number>(partitions).fill(0)
  let above = 0
  const owners = Array<number>(VIRTUAL_PARTITIONS).fill(-1)
  const give = (virtual: number, owner: number) => {
    owners[virtual] = owner
    counts[owner]! += 1
    if (counts[owner]! > least) above++
  }
  for (const [virtual, owner] of before.entries()) {
    if (owner >= partitions) continue
    const count = counts[owner]!
    if (count < least || (count === least && above < withMore)) give(virtual, owner)
  }
  for (const [virtual, owner] of owners.entries()) {
    if (owner !== -1) continue
    const fewest = counts.indexOf(Math.min(...counts))
    give(virtual, fewest)
  }
  return owners
}

/** The fullest partition against the mean of the others; 1 when nothing much is waiting. */
export function imbalance(depths: readonly number[]): number {
  const fullest = Math.max(0, ...depths)
  if (depths.length < 2 || fullest < HOT_DEPTH) return 1
  const others = (depths.reduce((total, depth) => total + depth, 0) - fullest) / (depths.length - 1)
  return fullest / Math.max(1, others)
}

/**
 * Moves virtual partitions from the fullest partition to the emptiest until neither can gain. One key that is hot by
 * itself stays where it is: moving it would only move the heat.
 */
export function relieve(owners: readonly number[], loads: readonly number[], partitions: number): Owners {
  const next = [...owners]
  const depths = Array<number>(partitions).fill(0)
  for (const [virtual, owner] of next.entries()) depths[owner]! += loads[virtual] ?? 0
  for (let moves = 0; moves < VIRTUAL_PARTITIONS; moves++) {
    const from = depths.indexOf(Math.max(...depths))
    const to = depths.indexOf(Math.min(...depths))
    const gap = depths[from]! - depths[to]!
    // Past the middle of the gap it would be the other one that is full.
    const best = next
      .map((owner, virtual) => ({ virtual, load: owner === from ? (loads[virtual] ?? 0) : 0 }))
      .filter(({ load }) => load > 0 && load <= gap / 2)
      .toSorted((a, b) => b.load - a.load)[0]
    if (best === undefined) return next
    next[best.virtual] = to
    depths[from]! -= best.load
    depths[to]! += best.load
  }
  return next
}
