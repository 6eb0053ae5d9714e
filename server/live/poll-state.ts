// What this process knows of people who poll, so that "nothing new" can be said without asking anybody: the newest log
// position among their topics, the version of what they follow and of what they have read. Messages keep it true; what
// is older than a minute, or from before an interruption of the messages, is not believed.
import type { PersonalEvent } from '#server/app/log-ports.ts'
import type { Clock } from '#shared/clock.ts'
import { comparePositions, type Position, printPosition } from '#shared/position.ts'
import type { PollIdentity } from './poll-token.ts'

const KNOWN_MS = 60_000
const KNOWN_MAX = 50_000
/** Answers from memory that one session gets in a minute: several tabs at twice the usual pace. */
const CHEAP_PER_MINUTE = 60

type Known = { topics: readonly number[]; followsVersion: number; readVersion: number; learnedAt: number }
type Count = { windowStart: number; count: number }

export type Log = { position: Position | null; lastOf: (topicId: number) => Position | null }

export class PollState {
  readonly #log: Log
  readonly #clock: Clock
  #people = new Map<string, Known>()
  #looking = new Map<string, { count: number; changed: boolean }>()
  #endedSessions = new Map<string, number>()
  #counts = new Map<string, Count>()
  #believeTokensFrom = 0

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** What changed while it was being looked up makes the answer doubtful: it is then not kept. */
  async learn(userId: string, look: () => Promise<Omit<Known, 'learnedAt'>>): Promise<void> {
    const looking = this.#looking.get(userId) ?? { count: 0, changed: false }
    looking.count += 1
    this.#looking.set(userId, looking)
    try {
      const known = await look()
      if (looking.changed) return
      if (this.#people.size >= KNOWN_MAX) this.#people = new Map()
      this.#people.set(userId, { ...known, learnedAt: this.#clock.now() })
    } finally {
      looking.count -= 1
      if (looking.count === 0) this.#looking.delete(userId)
    }
  }

  /** The person's state as an entity tag; null when it is not known well enough. */
  tagOf(userId: string): string | null {
    const known = this.#people.get(userId)
    const { position } = this.#log
    if (!known || !position || this.#clock.now() - known.learnedAt > KNOWN_MS) return null
    let newest: Position = { epoch: position.epoch, ms: 0, n: 0 }
    for (const topicId of known.topics) {
      const last = this.#log.lastOf(topicId)
      if (last && comparePositions(last, newest) > 0) newest = last
    }
    return `"${printPosition(newest)}.${known.followsVersion}.${known.readVersion}"`
  }

  hear(event: PersonalEvent): void {
    if (event.type === 'signed-out') this.#endedSessions.set(event.sessionId, this.#clock.now())
    else {
      this.#people.delete(event.userId)
      const looking = this.#looking.get(event.userId)
      if (looking) looking.changed = true
    }
  }

  /** Messages may have been missed: nothing learned before is believed, and no token from before. */
  doubt(): void {
    this.#people.clear()
    for (const looking of this.#looking.values()) looking.changed = true
    this.#believeTokensFrom = this.#clock.now()
  }

  believes({ sessionId, issuedAt }: PollIdentity): boolean {
    return issuedAt >= this.#believeTokensFrom && !this.#endedSessions.has(sessionId)
  }

  /** Counts an answer from memory; the seconds to wait when there were too many, else 0. */
  count(sessionId: string): number {
    const now = this.#clock.now()
    const count = this.#counts.get(sessionId)
    if (!count || now - count.windowStart >= 60_000) {
      this.#counts.set(sessionId, { windowStart: now, count: 1 })
      return 0
    }
    count.count += 1
    return count.count > CHEAP_PER_MINUTE ? Math.ceil((count.windowStart + 60_000 - now) / 1_000) : 0
  }

  /** Forgets what has run out. */
  sweep(): void {
    const now = this.#clock.now()
    for (const [userId, { learnedAt }] of this.#people) if (now - learnedAt > KNOWN_MS) this.#people.delete(userId)
    for (const [sessionId, endedAt] of this.#endedSessions)
      if (now - endedAt > 2 * KNOWN_MS) this.#endedSessions.delete(sessionId)
    for (const [sessionId, { windowStart }] of this.#counts)
      if (now - windowStart >= 60_000) this.#counts.delete(sessionId)
  }
}
