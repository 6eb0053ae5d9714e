// Handing actors and topics to the shard that a new ring gives them to. What is moved is frozen, in writing, from the moment
// it is read until the other shard has it: a crash in between repeats the same call, which the other side knows. Whoever
// asks here meanwhile waits, and is then sent on.
import { CLOSE } from '#shared/hub/close-codes.ts'
import type { Broadcasts } from './broadcasts.ts'
import { nextOwnerOf, ownerOf } from './core/ring.ts'
import { MOVE_CHUNK } from './core/tuning.ts'
import type { Registrations } from './registrations.ts'
import type { ActorBundle, Moved, TopicBundle } from './rpc.ts'
import { type Shard, withinTime } from './shard.ts'

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS moves_out (key TEXT PRIMARY KEY, done INTEGER NOT NULL, move_id TEXT NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS moves_in (move_id TEXT PRIMARY KEY) WITHOUT ROWID`,
]

type Mark = { done: number; move_id: string }

export class Moves {
  readonly #shard: Shard
  readonly #registrations: Registrations
  readonly #broadcasts: Broadcasts
  readonly #sql: SqlStorage
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(shard: Shard, registrations: Registrations, broadcasts: Broadcasts) {
    this.#shard = shard
    this.#registrations = registrations
    this.#broadcasts = broadcasts
    this.#sql = shard.ctx.storage.sql
    for (const statement of SCHEMA) this.#sql.exec(statement)
  }

  /** Null: it is here. Otherwise the shard to ask, once what is under way has arrived there. */
  placeOf(key: string): null | string | Promise<string> {
    const { view } = this.#shard.identity
    const owner = ownerOf(view, key)
    const goesTo = nextOwnerOf(view, key)
    if (view.next === null && owner === this.#shard.name) return null
    const mark = this.#mark(key)
    if (mark !== null && goesTo !== this.#shard.name)
      return mark.done ? goesTo : this.#move(key, goesTo).then(() => goesTo)
    if (owner === this.#shard.name || goesTo === this.#shard.name) return null
    return owner
  }

  /** For somebody who wants to begin here: what is to leave leaves first. */
  async settle(key: string): Promise<string | null> {
    const place = await this.placeOf(key)
    if (place !== null) return place
    const goesTo = nextOwnerOf(this.#shard.identity.view, key)
    if (goesTo === this.#shard.name) return null
    await this.#move(key, goesTo)
    return goesTo
  }

  /** Some of what has to leave; how much is left. */
  async moveOn(): Promise<Moved> {
    const { view } = this.#shard.identity
    if (view.next === null) this.#sql.exec('DELETE FROM moves_out WHERE done = 1')
    const leaving = this.#leaving()
    const now = leaving.slice(0, MOVE_CHUNK)
    const results = await Promise.allSettled(now.map((key) => this.#move(key, nextOwnerOf(view, key))))
    const moved = results.filter(({ status }) => status === 'fulfilled').length
    return { moved, remaining: leaving.length - moved }
  }

  acceptActor(moveId: string, { actor, registration, inbox, seen }: ActorBundle): void {
    if (!this.#isNew(moveId)) return
    const { registry, storage } = this.#shard
    // Somebody who registered here meanwhile, because the other shard was given up, is the newer one.
    if (registration !== null && registry.get(actor, this.#shard.now()) === null) {
      const { row: _, ...rest } = registration
      registry.put({ ...rest, row: storage.putRegistration(rest) })
      this.#shard.arm(rest.expiresAt)
    }
    for (const entry of inbox) storage.keep(actor, entry)
    for (const entry of seen) storage.remember(actor, entry)
    this.#shard.armSweep()
    const connectionId = this.#shard.connectionOf(actor)
    if (connectionId !== null) for (const { frame } of inbox) this.#shard.connections.send(connectionId, frame)
  }

  acceptTopic(moveId: string, { topic, lastSeq, trimmedSeq, events, listeners, revocations }: TopicBundle): void {
    if (!this.#isNew(moveId)) return
    const { topics } = this.#shard
    const now = this.#shard.now()
    const here = topics.state(topic)
    const known = here.lastSeq > 0 ? here.trimmedSeq : trimmedSeq
    topics.putTopic(topic, Math.max(lastSeq, here.lastSeq), Math.max(trimmedSeq, known), events, now)
    for (const { shard, generation, behindFrom } of listeners) {
      topics.join(topic, shard, generation)
      if (behindFrom !== null) topics.setBehind(topic, shard, behindFrom)
    }
    for (const { revocation, expiresAt } of revocations) topics.revoke(revocation, expiresAt)
    this.#shard.armSweep()
  }

  /** A call for each, once: a second wish for the same waits for the first. */
  #move(key: string, goesTo: string): Promise<void> {
    const known = this.#underWay.get(key)
    if (known !== undefined) return known
    const mark = this.#mark(key)
    if (mark?.done) return Promise.resolve()
    const moveId = mark?.move_id ?? `${this.#shard.identity.view.version}:${this.#shard.name}:${key}`
    this.#sql.exec('INSERT OR IGNORE INTO moves_out VALUES (?, 0, ?)', key, moveId)
    const moving = (key.startsWith('@(') ? this.#moveActor(key, goesTo, moveId) : this.#moveTopic(key, goesTo, moveId))
      .then(() => {
        this.#sql.exec('UPDATE moves_out SET done = 1 WHERE key = ?', key)
        this.#shard.counters.count('signal_hub_moved_total')
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, moving)
    return moving
  }

  async #moveActor(actor: string, goesTo: string, moveId: string): Promise<void> {
    const { registry, storage, connections } = this.#shard
    const now = this.#shard.now()
    const registration = registry.get(actor, now)
    if (registration !== null) {
      this.#broadcasts.hurry(actor, registration.row)
      connections.close(registration.connectionId, CLOSE.rebalancing, 'shard_rebalancing')
    }
    const bundle: ActorBundle = {
      actor,
      registration,
      inbox: storage.inbox(actor, now),
      seen: storage.seenOf(actor, now),
    }
    await withinTime(this.#shard.peer(goesTo).acceptActor(this.#shard.callTo(goesTo), moveId, bundle))
    this.#registrations.remove(actor)
    storage.forgetTarget(actor)
  }

  async #moveTopic(topic: string, goesTo: string, moveId: string): Promise<void> {
    const { topics } = this.#shard
    const { lastSeq, trimmedSeq } = topics.state(topic)
    const bundle: TopicBundle = {
      ...{ topic, lastSeq, trimmedSeq, events: topics.events(topic, 0), listeners: topics.listeningShards(topic) },
      revocations: topics.revocationsWithEnd(topic, this.#shard.now()),
    }
    await withinTime(this.#shard.peer(goesTo).acceptTopic(this.#shard.callTo(goesTo), moveId, bundle))
    topics.forgetTopic(topic)
  }

  /** Everything kept here that belongs elsewhere. */
  #leaving(): string[] {
    const { view } = this.#shard.identity
    const keys = this.#sql
      .exec<{ key: string }>(
        `SELECT actor AS key FROM registrations UNION SELECT target FROM inbox UNION SELECT topic FROM topics
         UNION SELECT topic FROM topic_shards UNION SELECT key FROM moves_out WHERE done = 0`,
      )
      .toArray()
    return keys.map(({ key }) => key).filter((key) => nextOwnerOf(view, key) !== this.#shard.name)
  }

  #isNew(moveId: string): boolean {
    return this.#sql.exec('INSERT OR IGNORE INTO moves_in VALUES (?)', moveId).rowsWritten > 0
  }

  #mark(key: string): Mark | null {
    const [mark] = this.#sql.exec<Mark>('SELECT done, move_id FROM moves_out WHERE key = ?', key).toArray()
    return mark ?? null
  }
}
