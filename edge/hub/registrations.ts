// Registering, renewing and leaving: who holds an address, and what waited for them meanwhile.

import { CLOSE } from '#shared/hub/close-codes.ts'
import type { SharedMessage } from '#shared/hub/message.ts'
import type { RequestPayload } from '#shared/hub/protocol.ts'
import { REGISTRATION_TTL_SECONDS } from '#shared/hub/tuning.ts'
import type { Connection } from './connections.ts'
import { capacityOf, judgeClaim, type StoredRegistration } from './core/registry.ts'
import { covers, isRevoked } from './core/rights.ts'
import { REVOCATION_MS } from './core/tuning.ts'
import { maxActors } from './env.ts'
import type { Answers } from './refusals.ts'
import type { Shard } from './shard.ts'

export class Registrations {
  readonly #shard: Shard
  readonly #answers: Answers

  constructor(shard: Shard, answers: Answers) {
    this.#shard = shard
    this.#answers = answers
  }

  register(from: Connection, asked: SharedMessage, wish: RequestPayload<'hub:register'>) {
    const { registry, storage, connections, counters } = this.#shard
    const now = this.#shard.now()
    const refuse = (...why: ['address_taken' | 'revoked' | 'capability' | 'spoofed_from' | 'bad_token', string]) => {
      counters.count('signal_hub_registrations_total', 'outcome="refused"')
      this.#answers.unauthorized(from, asked, ...why)
    }
    if (wish.actorAddress !== from.actor) return refuse('spoofed_from', 'This connection has another address.')
    if (this.#shard.placeOf(from.actor) !== null)
      return connections.close(from.connectionId, CLOSE.rebalancing, 'shard_rebalancing')
    const rights = storage.rightsOf(from.connectionId)
    if (rights === null) return refuse('bad_token', 'The rights of this connection have ended.')
    const revoked = this.#shard.topics.revocations(null, now)
    if (isRevoked(revoked, { actor: from.actor, topic: null, issuedAtMs: rights.issuedAtMs }))
      return refuse('revoked', 'This token counts no more.')
    const missing = wish.capabilities.find((capability) => !covers(rights.capabilities, capability))
    if (missing !== undefined) return refuse('capability', `The token does not give the capability ${missing}.`)

    const known = registry.peek(from.actor)
    const { renewalToken } = wish
    const claim = judgeClaim(known, { connectionId: from.connectionId, renewalToken }, now)
    if (claim === 'taken') return refuse('address_taken', 'This address is registered by another connection.')
    const { actors, utilization, state } = capacityOf(registry.size, maxActors(this.#shard.env))
    if (claim === 'new' && known === undefined && state === 'full') {
      counters.count('signal_hub_registrations_total', 'outcome="full"')
      const metrics = { totalActors: actors, capacityUtilization: utilization }
      return this.#answers.error(from, asked, 'registry_full', 'This shard takes no more actors.', { metrics })
    }
    if (claim === 'back' && known !== undefined) {
      connections.close(known.connectionId, CLOSE.replaced, 'replaced')
      counters.count('signal_hub_reconnections_total')
    }
    counters.count('signal_hub_registrations_total', 'outcome="accepted"')
    this.#put(from, asked, {
      actorAddress: from.actor,
      capabilities: wish.capabilities,
      metadata: wish.metadata,
      connectionId: from.connectionId,
      registeredAt: claim === 'new' ? now : (known?.registeredAt ?? now),
      expiresAt: now + (wish.ttlSeconds ?? REGISTRATION_TTL_SECONDS) * 1_000,
      version: (known?.version ?? 0) + 1,
      renewalToken: crypto.randomUUID(),
    })
    // Everything that it has not acknowledged, before anything new: nobody else gets a turn in between.
    for (const { frame } of storage.inbox(from.actor, now)) connections.send(from.connectionId, frame)
  }

  renew(from: Connection, asked: SharedMessage, wish: RequestPayload<'hub:renew'>) {
    const known = this.#shard.registrationOf(from.actor, from.connectionId)
    if (known === null || known.renewalToken !== wish.renewalToken)
      return this.#answers.unauthorized(from, asked, 'address_taken', 'This is not the renewal token of the address.')
    const { row: _, ...registration } = known
    const expiresAt = this.#shard.now() + (wish.ttlSeconds ?? REGISTRATION_TTL_SECONDS) * 1_000
    this.#put(from, asked, { ...registration, expiresAt, version: known.version + 1 })
  }

  /** The token that it spoke under opens nothing any more: whoever copied it cannot become this actor. */
  unregister(from: Connection, asked: SharedMessage): void {
    const issuedAtMs = this.#shard.storage.rightsOf(from.connectionId)?.issuedAtMs
    this.remove(from.actor)
    if (issuedAtMs !== undefined)
      this.#shard.topics.revoke(
        { topic: null, actors: from.actor, atMs: issuedAtMs },
        this.#shard.now() + REVOCATION_MS,
      )
    this.#answers.give(from, asked, 'hub:unregistered', { actorAddress: from.actor })
  }

  remove(actor: string): void {
    this.#shard.registry.remove(actor)
    this.#shard.storage.removeRegistration(actor)
  }

  #put(from: Connection, asked: SharedMessage, registration: Omit<StoredRegistration, 'row'>): void {
    const row = this.#shard.storage.putRegistration(registration)
    this.#shard.registry.put({ ...registration, row })
    this.#shard.arm(registration.expiresAt)
    const { actorAddress, expiresAt, renewalToken, version } = registration
    this.#answers.give(from, asked, 'hub:registered', { actorAddress, expiresAt, renewalToken, version })
  }
}
