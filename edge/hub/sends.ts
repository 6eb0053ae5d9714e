// From one actor to another. The sender's shard puts the message into an envelope and hands it to the target's shard,
// where it is judged, kept, remembered and sent in one step: nothing else happens in between, so the order of a pair holds.
import { createMessage, type SharedMessage } from '#shared/hub/message.ts'
import type { AnswerType, RequestPayload } from '#shared/hub/protocol.ts'
import type { Connection } from './connections.ts'
import { type Delivered, planDelivery } from './core/delivery.ts'
import type { Answers } from './refusals.ts'
import { type Shard, warn, withinTime } from './shard.ts'

export class Sends {
  readonly #shard: Shard
  readonly #answers: Answers

  constructor(shard: Shard, answers: Answers) {
    this.#shard = shard
    this.#answers = answers
  }

  send(from: Connection, asked: SharedMessage, wish: RequestPayload<'hub:send'>): void | Promise<void> {
    const { targetAddress: to, message } = wish
    const { type, payload } = message
    const { id, pattern, correlationId, timestamp, metadata, ttl, signature } = asked
    const letter = createMessage({
      ...{ id, from: from.actor, to, type, pattern, correlationId, timestamp, payload, metadata, ttl, signature },
    })
    const owner = this.#shard.ownerOf(to)
    // Without a pause when it is our own actor: what a sender says next must not come before this.
    if (owner === this.#shard.name) return this.#report(from, asked, to, this.deliver(letter))
    return this.#across(owner, letter).then((result) => this.#report(from, asked, to, result))
  }

  /** At the target's shard. */
  deliver(letter: SharedMessage): Delivered {
    const { storage, connections, counters } = this.#shard
    const now = this.#shard.now()
    const { from: sender, to: target, id } = letter
    const registered = this.#shard.registry.get(target, now) !== null
    const connectionId = this.#shard.connectionOf(target)
    const isAsk = letter.pattern === 'ask'
    const plan = planDelivery(
      letter,
      {
        registered,
        connected: connectionId !== null,
        knownAck: isAsk ? storage.knownAck(sender, target, id, now) : null,
        waiting: isAsk ? storage.waiting(target, now) : 0,
        seen: storage.seenCount,
      },
      now,
    )
    const result = this.#perform(letter, plan, connectionId)
    counters.count('signal_hub_deliveries_total', `outcome="${result.is === 'ack' ? result.status : result.is}"`)
    if (connectionId !== null && connections.isBehind(connectionId) && storage.pause(target, sender))
      void this.#notify(sender, 'hub:pause', { reason: 'outbound_queue_full', targetAddress: target })
    return result
  }

  acknowledge(from: Connection, { messageId, from: sender }: RequestPayload<'hub:ack'>): void {
    this.#shard.storage.acknowledge(from.actor, sender, messageId)
  }

  /** Its reader has caught up, or has gone: whoever waits for it may go on. */
  release(target: string): void {
    for (const sender of this.#shard.storage.pausedBy(target))
      void this.#notify(sender, 'hub:resume', { targetAddress: target })
  }

  /** After a sleep nobody remembers how far readers were behind, so nobody has to wait for them. */
  releaseAll(): void {
    for (const target of this.#shard.storage.pausingTargets()) this.release(target)
  }

  #perform(letter: SharedMessage, plan: ReturnType<typeof planDelivery>, connectionId: string | null): Delivered {
    const { storage, connections } = this.#shard
    if (plan.do === 'answer') return plan.answer
    const frame = JSON.stringify(letter)
    if (plan.do === 'pass') {
      const sent = connectionId !== null && connections.send(connectionId, frame)
      return sent ? { is: 'ack', status: 'delivered', deliveredAt: this.#shard.now() } : { is: 'unknown_actor' }
    }
    const { from: sender, to: target, id } = letter
    const { ack, seenUntilMs, keepUntilMs } = plan
    storage.keep(target, { sender, id, frame, expiresAt: keepUntilMs })
    storage.remember(target, { sender, id, ...ack, expiresAt: seenUntilMs })
    this.#shard.armSweep()
    if (plan.send && connectionId !== null) connections.send(connectionId, frame)
    return { is: 'ack', ...ack }
  }

  async #across(owner: string, letter: SharedMessage): Promise<Delivered> {
    try {
      return await withinTime(this.#shard.peer(owner).deliver(this.#shard.callTo(owner), letter))
    } catch (error) {
      warn('another shard did not take a message', { shard: owner, error: String(error) })
      return { is: 'failed' }
    }
  }

  #report(from: Connection, asked: SharedMessage, target: string, result: Delivered) {
    switch (result.is) {
      case 'ack': {
        const { deliveredAt, status } = result
        if (asked.pattern === 'ask')
          this.#answers.give(from, asked, 'hub:delivery_ack', { messageId: asked.id, deliveredAt, status })
        return
      }
      case 'unknown_actor':
        return this.#answers.unknownActor(from, asked, target)
      case 'expired':
        return this.#answers.error(from, asked, 'message_expired', `It expired before delivery (TTL ${asked.ttl} ms).`)
      case 'rate_limited':
        return this.#answers.rateLimited(from, asked, result.retryAfterMs)
      case 'failed':
        return this.#answers.error(from, asked, 'internal_error', 'The target’s shard did not answer.')
    }
  }

  async #notify(actor: string, type: 'hub:pause' | 'hub:resume', payload: object): Promise<void> {
    const owner = this.#shard.ownerOf(actor)
    try {
      if (owner === this.#shard.name) this.notify(actor, type, payload)
      else await this.#shard.peer(owner).notify(this.#shard.callTo(owner), actor, type, payload)
    } catch (error) {
      warn('a notice did not arrive', { type, error: String(error) })
    }
  }

  /** A notice of the hub to an actor of this shard. */
  notify(actor: string, type: AnswerType, payload: unknown): void {
    const connectionId = this.#shard.connectionOf(actor)
    if (connectionId !== null) this.#shard.connections.tell(connectionId, actor, type, payload as never)
  }
}
