// Write-behind of read state: whoever changes a person's state in Redis notes them here, and within a second the whole state
// replaces the older one in Postgres. A process that dies before leaves its note in Redis, where another one finds it.
import type { Clock } from '#shared/clock.ts'
import type { KeptReads, LiveReads } from './read-ports.ts'

/** States in one statement. */
const BATCH = 50
/** A note this old was left behind by a process that saves no more. */
const LEFT_BEHIND_MS = 5_000
const LEFT_BEHIND_BATCH = 500

type Deps = {
  live: Pick<LiveReads, 'peek' | 'changedBefore' | 'noteSaved'>
  kept: Pick<KeptReads, 'save'>
  clock: Clock
}

type Note = { viewer: string; changedAt: number }

export type SaveReads = ReturnType<typeof createSaveReads>

export function createSaveReads({ live, kept, clock }: Deps) {
  /** Each change makes a new note, so that one made while an older state is being saved stays. */
  const changed = new Map<string, Note>()

  async function save(people: Note[]): Promise<void> {
    for (let at = 0; at < people.length; at += BATCH) {
      const batch = people.slice(at, at + BATCH)
      const states = await Promise.all(batch.map(async ({ viewer }) => ({ viewer, reads: await live.peek(viewer) })))
      const there = states.flatMap(({ viewer, reads }) => (reads ? [{ viewer, reads }] : []))
      if (there.length > 0) await kept.save(there)
      await live.noteSaved(batch)
      for (const note of batch) if (changed.get(note.viewer) === note) changed.delete(note.viewer)
    }
  }

  return {
    /** Before the change is answered, at a moment not before the change. */
    note: (viewer: string): void => {
      changed.set(viewer, { viewer, changedAt: clock.now() })
    },
    unsaved: (): number => changed.size,
    run: (): Promise<void> => save([...changed.values()]),
    async rescue(): Promise<void> {
      for (;;) {
        const left = await live.changedBefore(clock.now() - LEFT_BEHIND_MS, LEFT_BEHIND_BATCH)
        await save(left)
        if (left.length < LEFT_BEHIND_BATCH) return
      }
    },
  }
}
