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
  /** The newest call under way for each target on another shard. */
  readonly #lastCalls = new Map<string, { owner: string; done: Promise<Delivered> }>()

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
    const place = this.#shard.placeOf(to)
    // Without a pause when it is our own actor: what a sender says next must not come before this.
    if (place === null) return this.#report(from, asked, to, this.deliver(letter))
    return this.#forward(place, letter).then((result) => this.#report(from, asked, to, result))
  }

  /** Here, or wherever the target is by now. */
  take(letter: SharedMessage): Delivered | Promise<Delivered> {
    const place = this.#shard.placeOf(letter.to)
    return place === null ? this.deliver(letter) : this.#forward(place, letter)
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
      void this.notifyAnywhere(sender, 'hub:pause', { reason: 'outbound_queue_full', targetAddress: target })
    return result
  }

  acknowledge(from: Connection, { messageId, from: sender }: RequestPayload<'hub:ack'>): void {
    this.#shard.storage.acknowledge(from.actor, sender, messageId)
  }

  /** Its reader has caught up, or has gone: whoever waits for it may go on. */
  release(target: string): void {
    for (const sender of this.#shard.storage.pausedBy(target))
      void this.notifyAnywhere(sender, 'hub:resume', { targetAddress: target })
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

  async #forward(place: string | Promise<string>, letter: SharedMessage): Promise<Delivered> {
    if (typeof place === 'string') return this.#across(place, letter)
    try {
      return await this.#across(await place, letter)
    } catch (error) {
      warn('a move did not come to its end', { error: String(error) })
      return { is: 'failed' }
    }
  }

  /** Calls to one shard arrive in order. When the target has moved to another, what went to the old one goes first. */
  #across(owner: string, letter: SharedMessage): Promise<Delivered> {
    const before = this.#lastCalls.get(letter.to)
    const call =
      before === undefined || before.owner === owner
        ? this.#call(owner, letter)
        : before.done.then(() => this.#call(owner, letter))
    const entry = { owner, done: call }
    this.#lastCalls.set(letter.to, entry)
    void call.then(() => {
      if (this.#lastCalls.get(letter.to) === entry) this.#lastCalls.delete(letter.to)
    })
    return call
  }

  async #call(owner: string, letter: SharedMessage): Promise<Delivered> {
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

  /** A notice of the hub to an actor, wherever it is. */
  async notifyAnywhere(actor: string, type: AnswerType, payload: unknown): Promise<void> {
    try {
      await this.#shard.route(
        actor,
        () => this.notify(actor, type, payload),
        (peer, call) => peer.notify(call, actor, type, payload),
      )
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
