// Topics at a shard where actors listen: who may, who does, and what they get. Rights that are taken back end before the
// next event; a subscription ends with the token that gave it.
import type { SharedMessage } from '#shared/hub/message.ts'
import type { AnswerPayload, RequestPayload } from '#shared/hub/protocol.ts'
import type { Connection } from './connections.ts'
import { covers, isRevoked, type Revocation, type Rights } from './core/rights.ts'
import { MAX_TOPICS_PER_ACTOR, REVOCATION_MS } from './core/tuning.ts'
import type { Answers } from './refusals.ts'
import type { Joined, Published, PublishWish, Relay, Relayed, TopicWish } from './rpc.ts'
import { type Shard, warn } from './shard.ts'
import type { TopicOwner } from './topic-owner.ts'
import type { Subscriber } from './topic-storage.ts'

type Refused = AnswerPayload<'hub:subscribed'>['refused'][number]

export class TopicListeners {
  readonly #shard: Shard
  readonly #answers: Answers
  /** Set once: the two halves of topics know each other. */
  owner!: TopicOwner
  /** By topic, filled from SQLite when it is first needed. */
  readonly #subscribers = new Map<string, Map<string, Subscriber>>()

  constructor(shard: Shard, answers: Answers) {
    this.#shard = shard
    this.#answers = answers
  }

  /** `rights` are those of the connection, or of a token that came along with the request. */
  async subscribe(
    from: Connection,
    asked: SharedMessage,
    wish: RequestPayload<'hub:subscribe'>,
    rights: Rights,
  ): Promise<void> {
    const { topics } = this.#shard
    const wishes = wish.topics.map(({ topic, since }) => ({ topic, since: since ?? null }))
    if (topics.topicsOf(from.connectionId).length + wishes.length > MAX_TOPICS_PER_ACTOR)
      return this.#answers.error(from, asked, 'too_many_topics', `At most ${MAX_TOPICS_PER_ACTOR} topics.`)
    const subscriber = { connectionId: from.connectionId, actor: from.actor, issuedAt: rights.issuedAtMs }
    const granted = wishes.filter(({ topic }) => this.#may(from.actor, topic, rights))
    const refused: Refused[] = wishes
      .filter((one) => !granted.includes(one))
      .map(({ topic }) => ({ topic, reason: 'unauthorized' }))
    // Listening before asking: an event in between comes twice rather than never.
    for (const { topic } of granted) this.#add(topic, { ...subscriber, until: rights.expiresAtMs })
    const joined: Joined[] = []
    for (const result of await this.#join(granted)) {
      if (typeof result === 'string') {
        this.#drop(result, from.connectionId)
        refused.push({ topic: result, reason: 'unavailable' })
      } else if (isRevoked(result.revocations, { ...from, topic: result.topic, issuedAtMs: rights.issuedAtMs })) {
        this.#drop(result.topic, from.connectionId)
        refused.push({ topic: result.topic, reason: 'unauthorized' })
      } else joined.push(result)
    }
    const names = joined.map(({ topic, lastSeq }) => ({ topic, lastSeq }))
    this.#answers.give(from, asked, 'hub:subscribed', { topics: names, refused })
    for (const { topic, replay } of joined)
      if (replay !== null) this.#answers.give(from, asked, 'hub:replayed', { topic, ...replay })
  }

  unsubscribe(from: Connection, asked: SharedMessage, { topics }: RequestPayload<'hub:unsubscribe'>): void {
    for (const topic of topics) this.#drop(topic, from.connectionId)
    this.#answers.give(from, asked, 'hub:unsubscribed', { topics, reason: 'asked' })
  }

  async publish(
    from: Connection,
    asked: SharedMessage,
    { topic, message }: RequestPayload<'hub:publish'>,
    rights: Rights,
  ): Promise<void> {
    const now = this.#shard.now()
    const revoked = isRevoked(this.#shard.topics.revocations(topic, now), { ...from, topic, ...rights })
    if (revoked || !covers(rights.publish, topic))
      return this.#answers.unauthorized(from, asked, 'topic', 'This actor may not publish here.')
    const { id, timestamp, ttl } = asked
    const wish: PublishWish = { seq: null, id, from: from.actor, message, timestamp, ttl, revoke: [] }
    let result: Published | null = null
    try {
      result = await this.owner.publish(topic, wish)
    } catch (error) {
      warn('a topic’s owner did not take an event', { error: String(error) })
    }
    if (result === null) return this.#answers.error(from, asked, 'internal_error', 'The topic’s shard did not answer.')
    if (result.is === 'expired') return this.#answers.error(from, asked, 'message_expired', 'It expired on the way.')
    if (result.is === 'too_large') return this.#answers.error(from, asked, 'invalid_message', 'The event is too large.')
    this.#answers.give(from, asked, 'hub:published', { topic, seq: result.seq, duplicate: result.duplicate })
  }

  async replay(from: Connection, asked: SharedMessage, { topic, since }: RequestPayload<'hub:replay'>): Promise<void> {
    if (!this.#listens(topic, from.connectionId))
      return this.#answers.unauthorized(from, asked, 'topic', 'Only topics that are subscribed to are replayed.')
    try {
      const replay = await this.owner.replay(topic, since)
      // The right may have ended while we asked.
      if (this.#listens(topic, from.connectionId)) this.#answers.give(from, asked, 'hub:replayed', { topic, ...replay })
    } catch (error) {
      warn('a replay failed', { error: String(error) })
      this.#answers.error(from, asked, 'internal_error', 'The topic’s shard did not answer.')
    }
  }

  /** Events from the owner, to everybody here who still may. */
  relay(topic: string, { revocations, events }: Relay): Relayed {
    for (const revocation of revocations) this.revoke(revocation)
    const now = this.#shard.now()
    for (const { event } of events)
      for (const { connectionId, until } of this.#of(topic).values())
        if (until > now) this.#shard.connections.send(connectionId, event)
    const heard = this.#of(topic).size > 0
    if (!heard) this.#subscribers.delete(topic)
    return { heard }
  }

  revoke(revocation: Revocation): void {
    this.#shard.topics.revoke(revocation, this.#shard.now() + REVOCATION_MS)
    if (revocation.topic === null) return
    for (const { connectionId, actor, issuedAt } of [...this.#of(revocation.topic).values()]) {
      if (!isRevoked([revocation], { actor, topic: revocation.topic, issuedAtMs: issuedAt })) continue
      this.#drop(revocation.topic, connectionId)
      const payload = { topics: [revocation.topic], reason: 'rights_withdrawn' }
      this.#shard.connections.tell(connectionId, actor, 'hub:unsubscribed', payload)
    }
  }

  /** A renewed token carries on what it still names; the rest ends with the token before. */
  renew(from: Connection, rights: Rights): void {
    for (const topic of this.#shard.topics.topicsOf(from.connectionId)) {
      if (!this.#may(from.actor, topic, rights)) continue
      this.#add(topic, {
        ...{ connectionId: from.connectionId, actor: from.actor },
        ...{ issuedAt: rights.issuedAtMs, until: rights.expiresAtMs },
      })
    }
  }

  removeConnection(connectionId: string): void {
    for (const topic of this.#shard.topics.topicsOf(connectionId)) this.#subscribers.get(topic)?.delete(connectionId)
    this.#shard.topics.removeConnection(connectionId)
  }

  #may(actor: string, topic: string, { topics, issuedAtMs }: Rights): boolean {
    const revocations = this.#shard.topics.revocations(topic, this.#shard.now())
    return covers(topics, topic) && !isRevoked(revocations, { actor, topic, issuedAtMs })
  }

  /** One call to each owner; a topic's name alone when its owner did not answer. */
  async #join(wishes: TopicWish[]): Promise<(Joined | string)[]> {
    // An owner that hears "nobody listens" from before this must not forget us.
    const listener = { shard: this.#shard.name, generation: crypto.randomUUID() }
    return this.owner.join(listener, wishes)
  }

  #listens(topic: string, connectionId: string): boolean {
    const subscriber = this.#of(topic).get(connectionId)
    return subscriber !== undefined && subscriber.until > this.#shard.now()
  }

  #of(topic: string): Map<string, Subscriber> {
    const known = this.#subscribers.get(topic)
    if (known !== undefined) return known
    const found = new Map(this.#shard.topics.subscribers(topic).map((one) => [one.connectionId, one]))
    this.#subscribers.set(topic, found)
    return found
  }

  #add(topic: string, subscriber: Subscriber): void {
    this.#of(topic).set(subscriber.connectionId, subscriber)
    this.#shard.topics.subscribe(topic, subscriber)
  }

  #drop(topic: string, connectionId: string): void {
    this.#of(topic).delete(connectionId)
    this.#shard.topics.unsubscribe(topic, connectionId)
  }
}
