// Sessions whose streams are or were just open. When a herd comes back, each of its members is recognised without a query:
// open ones are checked against Postgres every minute (audit.ts), ended ones are told by message, and what was not
// confirmed for a while is not believed.
import type { Clock } from '#shared/clock.ts'

/** Two missed audits. */
const BELIEVED_MS = 150_000

export type KnownSession = { userId: string; sessionId: string }
type Entry = KnownSession & { confirmedAt: number }

export class KnownSessions {
  readonly #clock: Clock
  readonly #byToken = new Map<string, Entry>()
  readonly #tokens = new Map<string, string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(token: string): KnownSession | null {
    const entry = this.#byToken.get(token)
    if (!entry || this.#clock.now() - entry.confirmedAt > BELIEVED_MS) return null
    return entry
  }

  learn(token: string, { userId, sessionId }: KnownSession): void {
    this.#byToken.set(token, { userId, sessionId, confirmedAt: this.#clock.now() })
    this.#tokens.set(sessionId, token)
  }

  /** These still exist. */
  confirm(sessionIds: Iterable<string>): void {
    const now = this.#clock.now()
    for (const sessionId of sessionIds) {
      const entry = this.#byToken.get(this.#tokens.get(sessionId) ?? '')
      if (entry) entry.confirmedAt = now
    }
  }

  end(sessionId: string): void {
    const token = this.#tokens.get(sessionId)
    if (token === undefined) return
    this.#tokens.delete(sessionId)
    this.#byToken.delete(token)
  }

  /** Messages may have been missed. */
  doubt(): void {
    this.#byToken.clear()
    this.#tokens.clear()
  }

  /** Forgets those who stayed away. */
  sweep(): void {
    const oldest = this.#clock.now() - BELIEVED_MS
    for (const { sessionId, confirmedAt } of this.#byToken.values()) if (confirmedAt < oldest) this.end(sessionId)
  }
}
