// Who is registered at a shard: the quick half in memory, of which SQLite keeps the copy that survives sleep.
import { matchesGlob } from '../../streams/core/glob.ts'
import { MAX_ACTORS, REFUSE_UTILIZATION, WARN_UTILIZATION } from './tuning.ts'

export type StoredRegistration = {
  actorAddress: string
  capabilities: string[]
  metadata: Record<string, unknown>
  connectionId: string
  registeredAt: number
  expiresAt: number
  version: number
  renewalToken: string
  /** Place in the order of registrations; broadcasts walk along it. */
  row: number
}

export type Claim = 'new' | 'again' | 'back' | 'taken'

/**
 * What a wish to register means. `again`: the same connection once more. `back`: the owner, from another connection.
 * `taken`: somebody else has the address, and this one does not hold its renewal token.
 */
export function judgeClaim(
  known: StoredRegistration | undefined,
  wish: { connectionId: string; renewalToken: string | undefined },
  nowMs: number,
): Claim {
  if (known === undefined || known.expiresAt <= nowMs) return 'new'
  if (known.connectionId === wish.connectionId) return 'again'
  return wish.renewalToken === known.renewalToken ? 'back' : 'taken'
}

export type Capacity = { actors: number; utilization: number; state: 'open' | 'warning' | 'full' }

export function capacityOf(actors: number, maxActors = MAX_ACTORS): Capacity {
  const utilization = actors / maxActors
  const state = utilization >= REFUSE_UTILIZATION ? 'full' : utilization >= WARN_UTILIZATION ? 'warning' : 'open'
  return { actors, utilization, state }
}

export class Registry {
  readonly #byActor = new Map<string, StoredRegistration>()

  constructor(stored: Iterable<StoredRegistration> = []) {
    for (const registration of stored) this.#byActor.set(registration.actorAddress, registration)
  }

  get size(): number {
    return this.#byActor.size
  }

  put(registration: StoredRegistration): void {
    this.#byActor.set(registration.actorAddress, registration)
  }

  remove(actor: string): void {
    this.#byActor.delete(actor)
  }

  /** Null also when it has run out: nobody has to wait for the alarm. */
  get(actor: string, nowMs: number): StoredRegistration | null {
    const found = this.#byActor.get(actor)
    return found === undefined || found.expiresAt <= nowMs ? null : found
  }

  /** Also what has run out. */
  peek(actor: string): StoredRegistration | undefined {
    return this.#byActor.get(actor)
  }

  values(): IterableIterator<StoredRegistration> {
    return this.#byActor.values()
  }

  expired(nowMs: number): StoredRegistration[] {
    return [...this.#byActor.values()].filter(({ expiresAt }) => expiresAt <= nowMs)
  }

  nextExpiry(): number | null {
    let next: number | null = null
    for (const { expiresAt } of this.#byActor.values()) if (next === null || expiresAt < next) next = expiresAt
    return next
  }

  discover(query: { pattern: string; capability?: string | undefined }, nowMs: number): StoredRegistration[] {
    const everybody = query.pattern === '@(*/*)'
    return [...this.#byActor.values()].filter(
      ({ actorAddress, capabilities, expiresAt }) =>
        expiresAt > nowMs &&
        (query.capability === undefined || capabilities.includes(query.capability)) &&
        (everybody || matchesGlob(query.pattern, actorAddress)),
    )
  }
}
