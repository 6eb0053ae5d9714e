// The two loops of a process: one reads what is new from the group, the other takes what is due from the schedule. Both
// have a bound on what they hold, and wait when something they need is away.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryQueue } from '#server/app/delivery-ports.ts'
import type { Attempt } from './attempt.ts'
import type { Workbench } from './workbench.ts'

export type LoopLimits = {
  /** Entries read at a time, and such batches under way at once. */
  batch: number
  batches: number
  blockMs: number
  /** How often the schedule is looked at. */
  retryMs: number
  leaseMs: number
  /** Work in the schedule beyond which nothing new is read. */
  scheduleMax: number
}

export type LoopDeps = {
  queue: DeliveryQueue
  bench: Workbench
  attempts: readonly Attempt[]
  limits: LoopLimits
  onError: (error: unknown) => void
}

/** Before trying again when Redis or Postgres is away. */
const PAUSE_MS = 500
/** The schedule's size is asked for at most this often while reading goes well. */
const SIZE_EVERY_MS = 1_000

export async function readGroup({ queue, bench, limits, onError }: LoopDeps, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>()
  let sizeKnownUntil = 0
  while (!signal.aborted) {
    try {
      if (performance.now() >= sizeKnownUntil) {
        if ((await queue.scheduleSize()) >= limits.scheduleMax) {
          // The log keeps it meanwhile, and lag shows it.
          await pause(PAUSE_MS, signal)
          continue
        }
        sizeKnownUntil = performance.now() + SIZE_EVERY_MS
      }
      const entries = await queue.read(limits.batch, limits.blockMs)
      if (entries.length === 0) continue
      const work: Promise<void> = bench
        .first(entries)
        // They stay pending, and are adopted when nobody reports.
        .catch(onError)
        .finally(() => running.delete(work))
      running.add(work)
      if (running.size >= limits.batches) await Promise.race(running)
    } catch (error) {
      if (signal.aborted) break
      if (!isMissingGroup(error)) onError(error)
      await queue.ensureGroup().catch(onError)
      await pause(isMissingGroup(error) ? 0 : PAUSE_MS, signal)
    }
  }
  await Promise.all(running)
}

export async function runSchedule({ queue, bench, attempts, limits, onError }: LoopDeps, signal: AbortSignal) {
  const turn = async (attempt: Attempt): Promise<number> => {
    const wanted = attempt.admit(limits.batch)
    if (wanted === 0) return 0
    const works = await queue.take(attempt.name, wanted, limits.leaseMs)
    if (works.length === 0) attempt.unused()
    else await bench.due(attempt, works)
    return works.length
  }
  await Promise.all(
    attempts.map(async (attempt) => {
      while (!signal.aborted) {
        try {
          if ((await turn(attempt)) === 0) await pause(limits.retryMs, signal)
        } catch (error) {
          attempt.unused()
          onError(error)
          await pause(PAUSE_MS, signal)
        }
      }
    }),
  )
}

/** The group went away with its stream: emptied, or replaced by another. */
const isMissingGroup = (error: unknown): boolean =>
  error instanceof Error && /^(NOGROUP|UNBLOCKED)\b/.test(error.message)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {
    // Told to stop: the loop sees it.
  })
