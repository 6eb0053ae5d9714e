import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VIRTUAL_PARTITIONS } from './tuning.ts'
import { dealOwners, imbalance, relieve } from './virtual-partitions.ts'

const countBy = (owners: number[], partitions: number) =>
  Array.from({ length: partitions }, (_, partition) => owners.filter((owner) => owner === partition).length)

test('[JOB-3] owners are even, and few virtual partitions move', () => {
  const partitions = fc.integer({ min: 1, max: 64 })
  fc.assert(
    fc.property(partitions, partitions, (before, after) => {
      const first = dealOwners([], before)
      const next = dealOwners(first, after)
      const counts = countBy(next, after)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      const moved = next.filter((owner, virtual) => owner !== first[virtual]).length
      const share = Math.ceil(VIRTUAL_PARTITIONS / Math.max(before, after))
      expect(moved).toBeLessThanOrEqual(Math.abs(after - before) * share + Math.min(before, after))
    }),
  )
  expect(dealOwners(dealOwners([], 7), 7)).toEqual(dealOwners([], 7))
})

test('[JOB-9] the ratio is of the fullest to the others', () => {
  expect(imbalance([100, 20, 20, 20])).toBe(5)
  expect(imbalance([100, 0, 0])).toBe(100)
  expect(imbalance([10, 0, 0])).toBe(1)
  expect(imbalance([500])).toBe(1)
})

test('[JOB-9] relief evens depths out, and leaves alone what cannot gain', () => {
  const owners = dealOwners([], 4)
  const loads = owners.map((owner) => (owner === 0 ? 50 : 1))
  const relieved = relieve(owners, loads, 4)
  const depth = (partition: number) =>
    relieved.reduce((sum, owner, virtual) => sum + (owner === partition ? loads[virtual]! : 0), 0)
  const depths = [0, 1, 2, 3].map(depth)
  expect(imbalance(depths)).toBeLessThan(1.5)
  const oneHotKey = owners.map((_, virtual) => (virtual === 5 ? 1_000 : 0))
  expect(relieve(owners, oneHotKey, 4)).toEqual(owners)
})
