// What keeps the group healthy over time: orphans are adopted, consumers that are gone removed, the log trimmed, and what
// Postgres owes is brought back when Redis has lost it. Every process does all of it; each step is safe to repeat.
import type { DeliveryProgress, DeliveryQueue } from '#server/app/delivery-ports.ts'
import type { HandlerName, Place } from '#server/domain/delivery/handlers.ts'
import type { Clock } from '#shared/clock.ts'

/** Entries looked at in one call. */
const ADOPT_COUNT = 500
const OWED_PAGE = 200
/** Pages in one round; the next round goes on from there. */
const OWED_PAGES = 50

export type UpkeepDeps = {
  queue: DeliveryQueue
  progress: DeliveryProgress
  handlers: readonly HandlerName[]
  clock: Clock
  /** From which age on unfinished work is looked for, whatever Redis says. */
  owedAgeMs: number
  onLost: (count: number) => void
  onTrimmed: (count: number) => void
}

export type Upkeep = ReturnType<typeof createUpkeep>

export function createUpkeep(deps: UpkeepDeps) {
  const { queue, progress, handlers, clock } = deps
  const reached = new Map<HandlerName, Place | null>()

  return {
    async adopt(idleMs: number): Promise<number> {
      const { adopted, lost } = await queue.adopt(idleMs, handlers, ADOPT_COUNT)
      if (lost > 0) deps.onLost(lost)
      return adopted
    },

    removeIdleConsumers: (idleMs: number) => queue.removeIdleConsumers(idleMs),

    async trim(olderThanMs: number, maxEntries: number): Promise<void> {
      const { died } = await queue.trim({ olderThanMs, maxEntries, handlers })
      if (died > 0) deps.onTrimmed(died)
    },

    /** Returns how much had been lost. */
    async bringBackOwed(): Promise<number> {
      const before = new Date(clock.now() - deps.owedAgeMs)
      let found = 0
      for (const handler of handlers) {
        let after = reached.get(handler) ?? null
        for (let page = 0; page < OWED_PAGES; page++) {
          const owed = await progress.owed(handler, { before, after, limit: OWED_PAGE })
          found += await queue.owe(owed.map(({ entry, at }) => ({ handler, entry, at })))
          after = owed.length < OWED_PAGE ? null : owed.at(-1)!.entry
          if (after === null) break
        }
        reached.set(handler, after)
      }
      return found
    },
  }
}
