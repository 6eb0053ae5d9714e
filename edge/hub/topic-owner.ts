// A topic at the shard that owns it: gives events their place, keeps some for replay, and hands them to every shard where
// somebody listens. A shard that was not reached is behind, in writing, and the alarm goes on until none is.
import { topicAddress } from '#shared/hub/address.ts'
import { createMessage, isExpired } from '#shared/hub/message.ts'
import type { TopicEvent } from '#shared/hub/protocol.ts'
import type { Revocation } from './core/rights.ts'
import { judgePublish } from './core/topic.ts'
import { MAX_EVENT_BYTES, RELAY_CHECK_MS, RELAY_RETRY_MS, REPLAY_MAX_MS, REVOCATION_MS } from './core/tuning.ts'
import type { Joined, Published, PublishWish, Relay, Relayed, Replay, TopicWish } from './rpc.ts'
import { type Shard, warn, withinTime } from './shard.ts'

type Listener = { shard: string; generation: string }

/** Hands events to the listeners of this very shard. */
export type RelayHere = (topic: string, relay: Relay) => Relayed

export class TopicOwner {
  readonly #shard: Shard
  readonly #relayHere: RelayHere
  /** Calls under way, by topic and shard: they arrive in order, so the next one need not wait. */
  readonly #underWay = new Map<string, number>()

  constructor(shard: Shard, relayHere: RelayHere) {
    this.#shard = shard
    this.#relayHere = relayHere
  }

  // ── asked by anybody: here, or at the shard where the topic is

  publish(topic: string, wish: PublishWish): Promise<Published> {
    return this.#shard.route(
      topic,
      () => this.#publish(topic, wish),
      (peer, call) => peer.publish(call, topic, wish),
    )
  }

  replay(topic: string, since: number): Promise<Replay> {
    return this.#shard.route(
      topic,
      () => this.#replay(topic, since),
      (peer, call) => peer.replay(call, topic, since),
    )
  }

  revoke(topic: string, revocation: Revocation): Promise<void> {
    return this.#shard.route(
      topic,
      () => this.#revoke(topic, revocation),
      (peer, call) => peer.revoke(call, revocation),
    )
  }

  /** A topic's name alone when its owner did not answer. */
  async join(listener: Listener, wishes: TopicWish[]): Promise<(Joined | string)[]> {
    const here = wishes.filter(({ topic }) => this.#shard.placeOf(topic) === null)
    const joined = here.map((wish) => this.#join(listener, wish))
    const elsewhere = await Promise.allSettled(
      wishes
        .filter((wish) => !here.includes(wish))
        .map(async (wish) => ({ wish, shard: await this.#shard.placeOf(wish.topic) })),
    )
    const placed = elsewhere.flatMap((one) =>
      one.status === 'fulfilled' && one.value.shard !== null ? [one.value] : [],
    )
    const byShard = Map.groupBy(placed, ({ shard }) => shard as string)
    const answers = await Promise.all(
      [...byShard].map(async ([shard, those]) => {
        const asked = those.map(({ wish }) => wish)
        try {
          return await withinTime(this.#shard.peer(shard).joinTopics(this.#shard.callTo(shard), listener, asked))
        } catch (error) {
          warn('a topic’s owner did not answer', { shard, error: String(error) })
          return []
        }
      }),
    )
    const all = [...joined, ...answers.flat()]
    const answered = new Set(all.map((one) => (typeof one === 'string' ? one : one.topic)))
    return [...all, ...wishes.map(({ topic }) => topic).filter((topic) => !answered.has(topic))]
  }

  // ── at the owner

  async #publish(topic: string, wish: PublishWish): Promise<Published> {
    const { topics, counters } = this.#shard
    const now = this.#shard.now()
    if (isExpired(wish, now)) return { is: 'expired' }
    const verdict = judgePublish(topics.state(topic), wish.seq, (seq) => topics.holds(topic, seq))
    const { seq } = verdict
    counters.count('signal_hub_topic_events_total', `outcome="${verdict.is}"`)
    if (verdict.is === 'duplicate') return { is: 'published', seq, duplicate: true }
    const { id, from, timestamp, ttl, message } = wish
    const event: TopicEvent = { topic, seq, id, from, timestamp, ttl, message }
    const text = frameOf(event)
    if (text.length > MAX_EVENT_BYTES) return { is: 'too_large' }
    for (const revocation of wish.revoke) topics.revoke(revocation, now + REVOCATION_MS)
    topics.append(topic, event, text, now)
    this.#shard.arm(now + REPLAY_MAX_MS)
    await this.#handOut(topic, [{ seq, event: text }])
    return { is: 'published', seq, duplicate: false }
  }

  async #revoke(topic: string, revocation: Revocation): Promise<void> {
    this.#shard.topics.revoke(revocation, this.#shard.now() + REVOCATION_MS)
    await this.#handOut(topic, [])
  }

  #join(listener: Listener, { topic, since }: TopicWish): Joined {
    const { topics } = this.#shard
    topics.join(topic, listener.shard, listener.generation)
    const { lastSeq } = topics.state(topic)
    const revocations = topics.revocations(topic, this.#shard.now())
    return { topic, lastSeq, revocations, replay: since === null ? null : this.#replay(topic, since) }
  }

  #replay(topic: string, since: number): Replay {
    const now = this.#shard.now()
    const { lastSeq, trimmedSeq } = this.#shard.topics.state(topic)
    const events = this.#shard.topics
      .events(topic, since)
      .map(({ event }) => (JSON.parse(event) as { payload: TopicEvent }).payload)
      .filter((event) => !isExpired(event, now))
    return { events, completeSince: Math.max(since, trimmedSeq), lastSeq }
  }

  /** What a failure or a crash left undone. */
  async catchUp(): Promise<void> {
    const open = this.#shard.topics.behind().filter(({ topic, shard }) => !this.#underWay.has(keyOf(topic, shard)))
    await Promise.all(
      open.map(({ topic, shard, generation, behindFrom }) =>
        this.#reach(topic, { shard, generation }, this.#shard.topics.events(topic, behindFrom - 1)),
      ),
    )
  }

  async #handOut(topic: string, events: Relay['events']): Promise<void> {
    const { topics } = this.#shard
    const listening = topics.listeningShards(topic)
    const others = listening.filter(({ shard }) => shard !== this.#shard.name)
    const from = events[0]?.seq ?? topics.state(topic).lastSeq + 1
    for (const { shard, behindFrom } of others) if (behindFrom === null) topics.setBehind(topic, shard, from)
    if (others.length > 0) this.#shard.arm(this.#shard.now() + RELAY_CHECK_MS)
    const here = listening.find(({ shard }) => shard === this.#shard.name)
    if (here !== undefined) {
      const { heard } = this.#relayHere(topic, { revocations: this.#revocations(topic), events })
      if (!heard) topics.leave(topic, here.shard, here.generation)
    }
    // One that is behind and has no call under way waits for the alarm, which brings it everything in order.
    const reachable = others.filter(
      ({ shard, behindFrom }) => behindFrom === null || this.#underWay.has(keyOf(topic, shard)),
    )
    await Promise.all(reachable.map((listener) => this.#reach(topic, listener, events)))
  }

  async #reach(
    topic: string,
    { shard, generation }: { shard: string; generation: string },
    events: Relay['events'],
  ): Promise<void> {
    const { topics } = this.#shard
    const key = keyOf(topic, shard)
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1)
    let failed = false
    try {
      const relay = { revocations: this.#revocations(topic), events }
      const { heard } = await withinTime(this.#shard.peer(shard).relay(this.#shard.callTo(shard), topic, relay))
      if (!heard) topics.leave(topic, shard, generation)
    } catch (error) {
      failed = true
      warn('a shard did not get a topic’s events', { shard, error: String(error) })
    }
    const left = (this.#underWay.get(key) ?? 1) - 1
    if (left === 0) this.#underWay.delete(key)
    else this.#underWay.set(key, left)
    const last = events.at(-1)?.seq
    if (failed) this.#shard.arm(this.#shard.now() + RELAY_RETRY_MS)
    else if (left === 0) topics.setBehind(topic, shard, null)
    else if (last !== undefined) topics.setBehind(topic, shard, last + 1)
  }

  #revocations(topic: string): Revocation[] {
    return this.#shard.topics.revocations(topic, this.#shard.now()).filter((revocation) => revocation.topic !== null)
  }
}

const keyOf = (topic: string, shard: string): string => `${shard}/${topic}`

/** One text for every listener. */
const frameOf = (event: TopicEvent): string =>
  JSON.stringify(
    createMessage({
      ...{ id: event.id, from: event.from, to: topicAddress(event.topic), type: 'hub:publish' },
      ...{ timestamp: event.timestamp, ttl: event.ttl, payload: event },
    }),
  )
