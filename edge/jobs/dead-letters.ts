// The dead letters of a project: each partition keeps its own. A letter's id says where its job was accepted, which need not
// be where it died, so whoever is meant is asked for everywhere.
import type { DeadPage, DeadView } from './core/status.ts'
import { type JobsEnv, partitionOf } from './env.ts'
import type { DeadLetter } from './partition-schema.ts'
import type { PartitionRpc } from './rpc.ts'

type PageWish = { partition?: number | undefined; before: number; limit: number }

/** Partition by partition, the newest of each first. */
export async function listDead(env: JobsEnv, project: string, partitions: number, wish: PageWish): Promise<DeadPage> {
  const letters: DeadView[] = []
  let before = wish.before
  for (let index = wish.partition ?? 0; index < partitions; index++) {
    const found = await partitionOf(env, project, index).deadLetters(before, wish.limit - letters.length)
    letters.push(...found.map((letter) => shown(letter, index)))
    if (letters.length === wish.limit) return { letters, next: { partition: index, before: found.at(-1)!.n } }
    before = Number.MAX_SAFE_INTEGER
  }
  return { letters, next: null }
}

/** How many it was about, over all partitions. */
export async function ofDead(
  env: JobsEnv,
  project: string,
  partitions: number,
  act: (partition: DurableObjectStub<PartitionRpc>) => Promise<number>,
): Promise<number> {
  const all = Array.from({ length: partitions }, (_, index) => partitionOf(env, project, index))
  const counts = await Promise.all(all.map((partition) => act(partition)))
  return counts.reduce((sum, count) => sum + count, 0)
}

const shown = (letter: DeadLetter, partition: number): DeadView => {
  const { id, type, lane: key, priority, idem: idempotencyKey, acceptedAt, failedAt, attempts } = letter
  const payload: unknown = JSON.parse(letter.payload)
  return {
    id,
    partition,
    type,
    key,
    priority,
    payload,
    idempotencyKey,
    acceptedAt,
    failedAt,
    attempts,
    lastError: letter.error,
  }
}
