// Where a person's read state is at this moment: in Redis, brought there from Postgres when it is missing, or, while Redis
// is away, in Postgres with the operations laid over it that wait there. Callers see one state either way; operations
// that waited are applied once and in order before anything else happens to the state.
import { applyOperation, applyStored, type Operation, type PersonReads } from '#server/domain/read/person-reads.ts'
import type { Clock } from '#shared/clock.ts'
import type { HeldReads, KeptReads, LiveReads, ReadPlace } from './read-ports.ts'
import type { SaveReads } from './save-reads.ts'

/** Brought back this often for one question and gone again each time, Redis is no help. */
const TRIES = 3
const WAITING_BATCH = 500

type Deps = {
  live: LiveReads
  kept: KeptReads
  saving: Pick<SaveReads, 'note'>
  clock: Clock
  /** How long a segment is kept after its newest activity. */
  segmentMs: number
  /** Once for each time that Redis goes away. */
  onAway: (error: unknown) => void
}

export type Compared = { version: number; before: PersonReads; after: PersonReads }
export type ReadAccess = ReturnType<typeof createReadAccess>

export function createReadAccess({ live, kept, saving, clock, segmentMs, onAway }: Deps) {
  const returning = new Map<string, Promise<void>>()
  /** Operations of theirs wait in Postgres, as far as this process knows. */
  const behind = new Set<string>()
  let away = false

  function bringBack(viewer: string): Promise<void> {
    const running = returning.get(viewer)
    if (running) return running
    const fresh = kept.hold(viewer, (held) => putBack(viewer, held)).finally(() => returning.delete(viewer))
    returning.set(viewer, fresh)
    return fresh
  }

  async function putBack(viewer: string, { reads, waiting, raise, newestIn }: HeldReads): Promise<void> {
    const there = await live.peek(viewer)
    if (there && !isOlder(there, reads)) await live.noteCompared(viewer)
    else {
      if (there) await live.discard(viewer)
      const segments = [...reads.topics].flatMap(([topicId, topic]) =>
        [...topic.segments.keys()].map((index) => ({ topicId, index })),
      )
      const newest = segments.length > 0 ? await newestIn(segments) : []
      const expiries = new Map(segments.map(({ topicId, index }, i) => [`${topicId}:${index}`, newest[i]! + segmentMs]))
      await live.restore(viewer, await raise(), (topicId, index) => expiries.get(`${topicId}:${index}`)!)
    }
    if (waiting.length > 0) {
      if ((await live.apply(viewer, waiting)) === null) throw new Error('read state went while it was brought back')
      saving.note(viewer)
    }
    behind.delete(viewer)
  }

  /** Null: Redis is away. */
  async function inRedis<T>(viewer: string, ask: () => Promise<T | null>): Promise<T | null> {
    try {
      if (behind.has(viewer)) await bringBack(viewer)
      for (let tries = 0; tries < TRIES; tries++) {
        const answer = await ask()
        if (answer !== null) {
          away = false
          return answer
        }
        await bringBack(viewer)
      }
      throw new Error('read state does not stay in Redis')
    } catch (error) {
      if (!away) onAway(error)
      away = true
      return null
    }
  }

  async function fromPostgres(viewer: string): Promise<PersonReads> {
    const { reads, waiting } = await kept.load(viewer)
    for (const one of waiting) applyStored(reads, one, clock.now())
    return reads
  }

  async function keep(viewer: string, operation: Operation): Promise<number> {
    behind.add(viewer)
    const { version } = await kept.keep(viewer, operation)
    return version
  }

  return {
    isAway: (): boolean => away,

    async read(viewer: string): Promise<PersonReads> {
      return (await inRedis(viewer, () => live.load(viewer))) ?? fromPostgres(viewer)
    },

    async version(viewer: string): Promise<number> {
      return (await inRedis(viewer, () => live.version(viewer))) ?? (await fromPostgres(viewer)).version
    },

    /** Null: look at the state instead. */
    flags: (viewer: string, places: ReadPlace[]) => inRedis(viewer, () => live.flags(viewer, places)),

    async change(viewer: string, operation: Operation): Promise<number> {
      const versions = await inRedis(viewer, () => live.apply(viewer, [{ operation }]))
      if (!versions) return keep(viewer, operation)
      saving.note(viewer)
      return versions[0]!
    },

    /** Null when the operation changes nothing. */
    async changeAndCompare(viewer: string, operation: Operation): Promise<Compared | null> {
      const compared = await inRedis(viewer, () => live.applyAndCompare(viewer, operation))
      if (compared) {
        saving.note(viewer)
        return compared.version > 0 ? compared : null
      }
      const before = await fromPostgres(viewer)
      if (!applyOperation(await fromPostgres(viewer), operation, clock.now())) return null
      const version = await keep(viewer, operation)
      return { version, before, after: await fromPostgres(viewer) }
    },

    /** Brings waiting operations to Redis, those of processes that died too. */
    async settle(): Promise<void> {
      for (const viewer of await kept.waiting(WAITING_BATCH)) await bringBack(viewer)
    },
  }
}

const isOlder = (one: PersonReads, than: PersonReads): boolean =>
  one.generation < than.generation || (one.generation === than.generation && one.version < than.version)
