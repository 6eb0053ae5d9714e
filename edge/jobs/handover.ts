// Moving virtual partitions from one partition to another without losing, doubling or reordering anything.
//   1. The former owner is told: it takes nothing more in, and what it is doing it finishes.
//   2. What waits there is handed over, in its order; then what it remembers of jobs that are finished.
//   3. It lets go, and only then does the new owner begin. What that accepted meanwhile was held, and is of a later generation.
// Every call may be repeated: a job that came before is known by its idempotency key and generation.
import { HANDOVER_CHUNK, IDEMPOTENCY_MS } from './core/tuning.ts'
import type { Partition } from './partition.ts'
import type { Carried, Move, Placement, Seen } from './partition-schema.ts'

export type Handover = { jobs: Carried[]; seen: Seen[]; placements: Placement[] }
export type Outgoing = { taker: number; version: number; jobs: (Carried & { n: number })[] }

/** What is to be handed over next, all to one partition; null: nothing. */
export function outgoing({ storage, place }: Partition): Outgoing | null {
  const jobs = storage.leaving(HANDOVER_CHUNK)
  if (place === null || jobs[0] === undefined) return null
  const { owners, version } = place.plan
  const taker = owners[jobs[0].virtual]!
  const carried = jobs
    .filter(({ virtual }) => owners[virtual] === taker)
    .map(({ state: _, startedAt: __, stalledAt: ___, token: ____, leaseUntil: _____, ...job }) => job)
  return { taker, version, jobs: carried }
}

/** Moves of which nothing is left here, and for which nothing can come from before us. */
export const releasable = (partition: Partition): Move[] =>
  partition.storage
    .moves()
    .filter(
      ({ virtual, ownSince }) => partition.releasedSince(virtual) >= ownSince && partition.storage.isEmpty(virtual),
    )

/** What is remembered of a virtual partition, in parts. */
export function* memories({ storage }: Partition, virtual: number): Generator<Handover> {
  yield { jobs: [], seen: [], placements: storage.placementsOf(virtual) }
  let after = ''
  for (;;) {
    const seen = storage.endedOf(virtual, after, HANDOVER_CHUNK)
    if (seen.length > 0) yield { jobs: [], seen, placements: [] }
    if (seen.length < HANDOVER_CHUNK) return
    after = seen.at(-1)!.idem
  }
}

export function receive(partition: Partition, { jobs, seen, placements }: Handover, now: number): void {
  const { storage } = partition
  const known = storage.seenAmong([...jobs, ...seen].map(({ idem }) => idem))
  const isNews = ({ idem, virtual, gen }: { idem: string; virtual: number; gen: number }): boolean => {
    const ours = known.get(idem)
    if (ours === undefined) return true
    // The same once more, or one that has run here already. Ours gives way only while it is held.
    return ours > gen && partition.dropHeld(virtual, idem)
  }
  const fresh = jobs.filter(isNews)
  const until = now + IDEMPOTENCY_MS
  partition.store(
    fresh.map(({ id, idem, type, lane, virtual, gen, ord, priority, payload, acceptedAt, dueAt, attempts }) =>
      partition.entry({ id, idem, type, lane, virtual, gen, ord, priority, payload, acceptedAt, dueAt, attempts }, now),
    ),
    now,
  )
  storage.remember([...fresh.map(({ idem, virtual, gen }) => ({ idem, virtual, gen, until })), ...seen.filter(isNews)])
  for (const placement of placements) storage.place(placement)
}

/** The former owner has let go. It may say so before we were told that we are the new one. */
export function release(partition: Partition, virtual: number, since: number, now: number): void {
  const { storage } = partition
  if (partition.releasedSince(virtual) >= since) return
  partition.setReleased(virtual, since)
  if (partition.place === null || !partition.runsHere(virtual) || partition.holds(virtual)) return
  const lanes = storage.lanesOf(virtual)
  storage.unhold([virtual], partition.ordered)
  for (const lane of lanes) partition.refreshLane(lane, now)
}
