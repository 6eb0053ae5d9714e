// An actor's side of the hub, for browsers and Node alike. It does no I/O of its own: sockets, timers, time, chance and
// tokens are given. Asks are retried under one id, repeats are handled once, topics come in order, and while the hub asks
// for a pause or the connection is away, what is said waits in a bounded queue.

import { HUB_ADDRESS } from './address.ts'
import { askTtlMs, decideAsk, failureOf, HubError, type Outcome } from './ask-policy.ts'
import { HubLink, type LinkOptions, type LinkState } from './hub-link.ts'
import { expiresAt, type SharedMessage } from './message.ts'
import { ANSWERS, type AnswerPayload, type AnswerType, type TopicEvent } from './protocol.ts'
import { SeenIds } from './seen-ids.ts'
import { TopicBook, type TopicStep } from './topic-book.ts'
import { ASK_ATTEMPTS, ASK_TIMEOUT_MS, MAX_SEEN_MS, MAX_TOPICS_PER_FRAME, TTL_MS } from './tuning.ts'

export type HubEvents = {
  onState?: (state: LinkState, why: string) => void
  /** A message of another actor. An ask is acknowledged when this is done; when it throws, it comes again. */
  onMessage?: (message: SharedMessage) => void | Promise<void>
  onTopic?: (event: TopicEvent) => void
  /** The hub has these no more: `after` < seq ≤ `upTo` are to be had elsewhere. */
  onGap?: (topic: string, after: number, upTo: number) => void
  /** The right to a topic is gone. */
  onTopicEnded?: (topic: string, reason: string) => void
  /** Something that nobody waits for went wrong. */
  onProblem?: (error: Error) => void
}

export type SignalHubClientOptions = LinkOptions & HubEvents
export type AskOptions = { timeoutMs?: number; attempts?: number; ttlMs?: number; metadata?: Record<string, unknown> }

/** Said while nobody listens; more is refused, so that memory is bounded. */
const MAX_QUEUED = 100
/** A resume that got lost must not hold us forever. */
const MAX_PAUSE_MS = 60_000
const MAX_REMEMBERED = 10_000

type Waiting = { text: () => void; expiresAtMs: number | null; target: string }

export class SignalHubClient {
  readonly #options: SignalHubClientOptions
  readonly #link: HubLink
  readonly #answers = new Map<string, (outcome: Outcome) => void>()
  readonly #topics = new TopicBook()
  readonly #handled: SeenIds
  readonly #pausedUntil = new Map<string, number>()
  #queue: Waiting[] = []

  constructor(options: SignalHubClientOptions) {
    this.#options = options
    this.#handled = new SeenIds({ clock: options.clock, keepMs: MAX_SEEN_MS, max: MAX_REMEMBERED })
    this.#link = new HubLink(options, {
      onState: (state, why) => this.#changed(state, why),
      onMessage: (message) => this.#hear(message),
    })
  }

  get state(): LinkState {
    return this.#link.state
  }

  start(): void {
    this.#link.start()
  }

  stop(): void {
    this.#link.stop()
  }

  networkBack(): void {
    this.#link.networkBack()
  }

  /** At most once. False when the queue is full. */
  tell(to: string, type: string, payload: unknown, ttlMs: number | null = TTL_MS.status): boolean {
    const { clock, newId } = this.#options
    const stamp = { id: newId(), timestamp: clock.now(), ttl: ttlMs }
    const wish = { targetAddress: to, message: { type, payload } }
    return this.#enqueue({
      ...{ target: to, expiresAtMs: expiresAt(stamp), text: () => this.#link.say('hub:send', wish, stamp) },
    })
  }

  /** At least once to the target, once to its handler. Settles when the hub has it, or has refused it. */
  async ask(
    to: string,
    type: string,
    payload: unknown,
    { timeoutMs = ASK_TIMEOUT_MS, attempts = ASK_ATTEMPTS, ttlMs, metadata = {} }: AskOptions = {},
  ): Promise<AnswerPayload<'hub:delivery_ack'>> {
    const { clock, newId, random } = this.#options
    const wish = { targetAddress: to, message: { type, payload } }
    const stamp = { id: newId(), timestamp: clock.now(), ttl: ttlMs ?? askTtlMs(timeoutMs, attempts) }
    let internalErrors = 0
    for (let attempt = 1; ; attempt++) {
      const more = { ...stamp, pattern: 'ask' as const }
      const outcome = await this.#request('hub:send', wish, timeoutMs, to, {
        ...more,
        metadata: { ...metadata, requireAck: true, attemptNumber: attempt },
      })
      if (typeof outcome === 'object' && failureOf(outcome).code === 'internal_error') internalErrors += 1
      const decision = decideAsk(outcome, 'hub:delivery_ack', { attempt, attempts, internalErrors }, random)
      if (decision.do === 'resolve') return decision.answer
      if (decision.do === 'reject') throw decision.error
      await this.#wait(decision.afterMs)
    }
  }

  /** Settles when every shard has begun; `hub:broadcast_done` follows by itself. */
  broadcast(
    type: string,
    payload: unknown,
    options: { targetCapability?: string; excludeSelf?: boolean; ttlMs?: number } = {},
  ): Promise<AnswerPayload<'hub:broadcast_ack'>> {
    const { ttlMs = TTL_MS.broadcast, ...rest } = options
    return this.#expect('hub:broadcast', { message: { type, payload }, ...rest }, 'hub:broadcast_ack', { ttl: ttlMs })
  }

  discover(
    query: { pattern?: string; capability?: string; limit?: number } = {},
  ): Promise<AnswerPayload<'hub:discovered'>> {
    return this.#expect('hub:discover', query, 'hub:discovered', { ttl: TTL_MS.query })
  }

  /** From the next event on, or from the one after `since`. `token` gives rights that the connection's own does not. */
  subscribe(topics: { topic: string; since?: number }[], token?: string): void {
    for (const { topic, since } of topics) this.#topics.watch(topic, since ?? null)
    if (this.state === 'ready') this.#sayTopics(topics, token)
  }

  unsubscribe(topics: string[]): void {
    for (const topic of topics) this.#topics.forget(topic)
    if (this.state === 'ready' && topics.length > 0) this.#link.say('hub:unsubscribe', { topics })
  }

  publish(
    topic: string,
    type: string,
    payload: unknown,
    ttlMs: number | null = TTL_MS.status,
  ): Promise<AnswerPayload<'hub:published'>> {
    return this.#expect('hub:publish', { topic, message: { type, payload } }, 'hub:published', { ttl: ttlMs })
  }

  // ── what comes in

  #changed(state: LinkState, why: string): void {
    if (state === 'ready') {
      const topics = this.#topics.positions()
      for (let at = 0; at < topics.length; at += MAX_TOPICS_PER_FRAME)
        this.#sayTopics(topics.slice(at, at + MAX_TOPICS_PER_FRAME))
      this.#pausedUntil.clear()
      this.#flush()
    } else {
      for (const settle of [...this.#answers.values()]) settle('lost')
    }
    this.#options.onState?.(state, why)
  }

  #hear(message: SharedMessage): void {
    if (message.correlationId !== null && message.from === HUB_ADDRESS)
      this.#answers.get(message.correlationId)?.(message)
    if (message.type === 'hub:publish') this.#onEvent(message)
    else if (message.from === HUB_ADDRESS) this.#onHub(message)
    else void this.#onActor(message)
  }

  async #onActor(message: SharedMessage): Promise<void> {
    const key = `${message.from} ${message.id}`
    const isNew = this.#handled.add(key)
    const acknowledge = () => {
      if (message.pattern === 'ask') this.#link.say('hub:ack', { messageId: message.id, from: message.from })
    }
    // Our acknowledgement may have been lost; the handler has had it.
    if (!isNew) return acknowledge()
    try {
      await this.#options.onMessage?.(message)
      acknowledge()
    } catch (error) {
      this.#handled.forget(key)
      this.#problem(error)
    }
  }

  #onEvent(message: SharedMessage): void {
    const event = ANSWERS['hub:publish'].safeParse(message.payload).data
    if (event !== undefined) this.#perform(event.topic, this.#topics.receive(event))
  }

  #onHub(message: SharedMessage) {
    const { clock } = this.#options
    switch (message.type) {
      case 'hub:pause': {
        const paused = ANSWERS[message.type].safeParse(message.payload).data
        if (paused === undefined) return
        this.#pausedUntil.set(paused.targetAddress, clock.now() + MAX_PAUSE_MS)
        this.#options.timer(MAX_PAUSE_MS + 1, () => this.#flush())
        return
      }
      case 'hub:resume': {
        const resumed = ANSWERS[message.type].safeParse(message.payload).data
        if (resumed !== undefined) this.#pausedUntil.delete(resumed.targetAddress)
        return this.#flush()
      }
      case 'hub:subscribed': {
        const subscribed = ANSWERS[message.type].safeParse(message.payload).data
        for (const { topic, lastSeq } of subscribed?.topics ?? []) this.#topics.subscribed(topic, lastSeq)
        for (const { topic, reason } of subscribed?.refused ?? []) this.#endTopic(topic, reason)
        return
      }
      case 'hub:replayed': {
        const replay = ANSWERS[message.type].safeParse(message.payload).data
        if (replay !== undefined) this.#perform(replay.topic, this.#topics.replayed(replay.topic, replay))
        return
      }
      case 'hub:unsubscribed': {
        const ended = ANSWERS[message.type].safeParse(message.payload).data
        if (ended !== undefined && ended.reason !== 'asked')
          for (const topic of ended.topics) this.#endTopic(topic, ended.reason)
      }
    }
  }

  #endTopic(topic: string, reason: string): void {
    // A shard that did not answer is no answer about rights: asked again on the next connection.
    if (reason !== 'unavailable') this.#topics.forget(topic)
    this.#options.onTopicEnded?.(topic, reason)
  }

  #perform(topic: string, { deliver, replaySince, gap }: TopicStep): void {
    if (gap !== null) this.#options.onGap?.(topic, gap.after, gap.upTo)
    for (const event of deliver) this.#options.onTopic?.(event)
    if (replaySince !== null)
      this.#request('hub:replay', { topic, since: replaySince }, ASK_TIMEOUT_MS, HUB_ADDRESS, {}).then((outcome) => {
        if (typeof outcome === 'string' || outcome.type !== 'hub:replayed') this.#topics.replayFailed(topic)
      }, this.#problem)
  }

  // ── what goes out

  #sayTopics(topics: { topic: string; since?: number }[], token?: string): void {
    if (topics.length > 0) this.#link.say('hub:subscribe', token === undefined ? { topics } : { topics, token })
  }

  async #expect<Type extends AnswerType>(
    type: string,
    payload: unknown,
    wanted: Type,
    more: Partial<SharedMessage>,
  ): Promise<AnswerPayload<Type>> {
    const outcome = await this.#request(type, payload, ASK_TIMEOUT_MS, HUB_ADDRESS, more)
    if (typeof outcome === 'string')
      throw new HubError({ code: 'timeout', message: 'The hub did not answer.', retryable: true })
    const parsed = outcome.type === wanted ? ANSWERS[wanted].safeParse(outcome.payload) : null
    if (parsed?.success) return parsed.data as AnswerPayload<Type>
    throw new HubError(failureOf(outcome))
  }

  /** One attempt: sent as soon as it may be, then what was answered, or why nothing was. */
  #request(
    type: string,
    payload: unknown,
    timeoutMs: number,
    target: string,
    more: Partial<SharedMessage>,
  ): Promise<Outcome> {
    const { clock, newId, timer } = this.#options
    const stamp = { timestamp: clock.now(), ...more, id: more.id ?? newId() }
    return new Promise((resolve, reject) => {
      let cancel = () => {}
      const settle = (outcome: Outcome) => {
        cancel()
        this.#answers.delete(stamp.id)
        resolve(outcome)
      }
      cancel = timer(timeoutMs, () => settle('timeout'))
      const text = () => {
        this.#answers.set(stamp.id, settle)
        this.#link.say(type, payload, stamp)
      }
      if (this.#enqueue({ text, target, expiresAtMs: clock.now() + timeoutMs })) return
      cancel()
      reject(new HubError({ code: 'queue_full', message: 'Too much waits to be sent.', retryable: true }))
    })
  }

  #enqueue(waiting: Waiting): boolean {
    if (this.#queue.length >= MAX_QUEUED) return false
    this.#queue.push(waiting)
    this.#flush()
    return true
  }

  /** In order; what is meant for somebody who is paused stays behind, and what has expired goes. */
  #flush(): void {
    const now = this.#options.clock.now()
    const stay: Waiting[] = []
    for (const waiting of this.#queue) {
      if (waiting.expiresAtMs !== null && waiting.expiresAtMs < now) continue
      const paused = (this.#pausedUntil.get(waiting.target) ?? 0) > now
      if (this.state !== 'ready' || paused) stay.push(waiting)
      else waiting.text()
    }
    this.#queue = stay
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.timer(ms, resolve)
    })
  }

  readonly #problem = (error: unknown): void => {
    this.#options.onProblem?.(error instanceof Error ? error : new Error(String(error)))
  }
}
