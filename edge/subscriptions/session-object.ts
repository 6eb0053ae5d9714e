// What one session listens to, and how long it lives. A session has a stream of its own in the core, into which its topics
// are copied; it ends when its lease is over and nobody read the stream meanwhile, and takes everything along. The alarm
// keeps the lease and joins what was asked for in the background.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { objectName } from '../streams/core/route.ts'
import type { StreamName } from '../streams/core-service.ts'
import { ASSIGN_BATCH, CLEANUP_REMOVALS, JOIN_CHUNK, MAX_STREAMS_PER_SESSION } from './constants.ts'
import { sessionStreamId } from './core/route.ts'
import { type SubscriptionsEnv, sessionTtlSeconds } from './env.ts'
import { recordEvent } from './events.ts'
import type { Assigned, SessionInfo, SessionName, SessionRpc, Subscribed } from './rpc.ts'
import { type Session, SessionStorage } from './session-storage.ts'

const DEFAULT_CONTENT_TYPE = 'application/json'
/** The stream outlives its lease by as much again, in case this object is late. */
const STREAM_LIVES_PER_LEASE = 2
const JOIN_RETRY_MS = 5_000

export class SessionDO extends DurableObject<SubscriptionsEnv> implements SessionRpc {
  readonly #storage: SessionStorage
  #turn: Promise<unknown> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: SubscriptionsEnv) {
    super(ctx, env)
    this.#storage = new SessionStorage(ctx.storage.sql)
  }

  subscribe(name: SessionName, streamIds: string[]): Promise<Subscribed | Refusal> {
    return this.#inTurn(() => this.#subscribe(name, streamIds))
  }

  unsubscribe(name: SessionName, streamId: string): Promise<void> {
    return this.#inTurn(() => this.#leave(name, streamId))
  }

  assign(name: SessionName, version: number, streamIds: string[]): Promise<Assigned | Refusal> {
    return this.#inTurn(() => this.#assign(name, version, streamIds))
  }

  end(): Promise<boolean> {
    return this.#inTurn(() => this.#end())
  }

  sweep(): Promise<boolean> {
    return this.#inTurn(() => this.#sweep())
  }

  override alarm(): Promise<void> {
    return this.#inTurn(() => this.#wake())
  }

  async #subscribe(name: SessionName, streamIds: string[]): Promise<Subscribed | Refusal> {
    const [only] = streamIds.length === 1 ? streamIds : []
    let contentType = DEFAULT_CONTENT_TYPE
    if (only !== undefined) {
      const source = await this.env.CORE.headStream({ project: name.project, id: only })
      if (isRefusal(source)) return source.status === 410 ? refuse(404, 'there is no such stream') : source
      contentType = source.contentType
    }
    const fresh = streamIds.filter((id) => this.#storage.membership(id) === null)
    if (this.#storage.memberships().length + fresh.length > MAX_STREAMS_PER_SESSION)
      return refuse(429, `a session listens to ${MAX_STREAMS_PER_SESSION} streams at most`)
    const opened = await this.#open(name, contentType)
    if (isRefusal(opened)) return opened
    const { session, isNewSession } = opened
    const done = { expiresAt: session.expiresMs, isNewSession }
    if (only === undefined) {
      const since = systemClock.now()
      for (const streamId of streamIds)
        if (this.#storage.membership(streamId)?.state !== 'joined')
          this.#storage.put({ streamId, since, state: 'joining' })
      await this.#arm(since)
      return { ...done, startOffset: null }
    }
    if (this.#storage.membership(only)?.state === 'joined') return { ...done, startOffset: null }
    try {
      const start = await this.#join(session, only)
      if (!isRefusal(start)) return { ...done, startOffset: start }
      if (isNewSession) await this.#end()
      return start
    } catch (error) {
      // Nothing half-made is left: neither a session that listens to nothing nor a copy that nobody knows of.
      if (isNewSession) await this.#end()
      throw error
    }
  }

  async #assign(name: SessionName, version: number, streamIds: string[]): Promise<Assigned | Refusal> {
    if ((this.#storage.session()?.version ?? 0) > version) return refuse(409, 'a newer version was assigned')
    if (streamIds.length > MAX_STREAMS_PER_SESSION)
      return refuse(429, `a session listens to ${MAX_STREAMS_PER_SESSION} streams at most`)
    const opened = await this.#open(name, DEFAULT_CONTENT_TYPE)
    if (isRefusal(opened)) return opened
    const { isNewSession, start } = opened
    const session = { ...opened.session, version }
    this.#storage.putSession(session)
    const wanted = new Set(streamIds)
    const known = this.#storage.memberships()
    const extra = known.filter(({ streamId }) => !wanted.has(streamId))
    await inBatches(extra, ({ streamId }) => this.#leave(name, streamId))
    const joined = new Set(known.filter(({ state }) => state === 'joined').map(({ streamId }) => streamId))
    const missing: string[] = []
    await inBatches(
      streamIds.filter((streamId) => !joined.has(streamId)),
      async (streamId) => {
        // Written down before it is joined: whatever happens in between, the next assignment knows what to leave.
        this.#storage.put({ streamId, since: systemClock.now(), state: 'joining' })
        if (!isRefusal(await this.#join(session, streamId))) return
        this.#storage.remove(streamId)
        missing.push(streamId)
      },
    )
    return { expiresAt: session.expiresMs, isNewSession, start, missing }
  }

  async #leave(name: SessionName, streamId: string): Promise<void> {
    const source = { project: name.project, id: streamId }
    // First where copies arrive: from here on whatever is still on its way is refused there.
    await this.env.CORE.leaveSource(streamOf(name), source)
    await this.#subscription(source).removeSubscriber(name.sessionId)
    this.#storage.remove(streamId)
    recordEvent(this.env, { type: 'unsubscribe', streamId, sessionId: name.sessionId })
  }

  async info(): Promise<SessionInfo | null> {
    const session = this.#storage.session()
    if (session === null || isRefusal(await this.env.CORE.headStream(streamOf(session)))) return null
    const subscriptions = this.#storage.memberships().map(({ streamId, since }) => ({ streamId, since }))
    return { sessionId: session.sessionId, expiresAt: session.expiresMs, subscriptions }
  }

  async touch(): Promise<number | null> {
    const session = this.#storage.session()
    if (session === null || !(await this.env.CORE.touchStream(streamOf(session)))) return null
    recordEvent(this.env, { type: 'session_touch', sessionId: session.sessionId })
    return (await this.#renew(session, systemClock.now())).expiresMs
  }

  async #end(): Promise<boolean> {
    const session = this.#storage.session()
    if (session === null) return false
    await this.#remove(session)
    recordEvent(this.env, { type: 'session_delete', sessionId: session.sessionId })
    return true
  }

  async #sweep(): Promise<boolean> {
    const session = this.#storage.session()
    if (session === null || systemClock.now() < session.expiresMs) return session === null
    const usedMs = await this.env.CORE.lastUsedMs(streamOf(session))
    // Somebody read the stream: that is as good as a touch.
    if (usedMs !== null && usedMs + this.#ttlMs() > systemClock.now()) {
      await this.#renew(session, usedMs)
      return false
    }
    await this.#remove(session)
    recordEvent(this.env, { type: 'session_expire', sessionId: session.sessionId })
    return true
  }

  async #wake(): Promise<void> {
    const session = this.#storage.session()
    if (session === null || (await this.#sweep())) return
    const waiting = this.#storage.memberships('joining', JOIN_CHUNK)
    let failed = false
    for (const { streamId } of waiting) {
      try {
        // What does not exist, or cannot be copied here, is not listened to.
        if (isRefusal(await this.#join(session, streamId))) this.#storage.remove(streamId)
      } catch (error) {
        console.warn(JSON.stringify({ message: 'join postponed', error: String(error) }))
        failed = true
      }
    }
    if (this.#storage.memberships('joining', 1).length > 0)
      await this.#arm(systemClock.now() + (failed ? JOIN_RETRY_MS : 0))
    await this.#arm((this.#storage.session() ?? session).expiresMs)
  }

  async #open(name: SessionName, contentType: string) {
    const known = this.#storage.session()
    const type = known?.contentType ?? contentType
    const made = await this.env.CORE.putStream(
      streamOf(name),
      type,
      sessionTtlSeconds(this.env) * STREAM_LIVES_PER_LEASE,
    )
    if (isRefusal(made)) return made
    // Its stream ended without us: what we remember belongs to the session before.
    if (known !== null && made.created) this.#storage.clear()
    const isNewSession = known === null || made.created
    const version = isNewSession ? 0 : known.version
    const session = await this.#renew(
      { ...name, contentType: made.contentType, expiresMs: 0, version },
      systemClock.now(),
    )
    if (isNewSession) recordEvent(this.env, { type: 'session_create', sessionId: name.sessionId })
    return { session, isNewSession, start: made.tail }
  }

  /** One after the other: what began earlier must not end later, or a stream that was left would be joined again. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {
      // Whoever asked for it hears of it.
    })
    return done
  }

  /** The offset of the source at which the copy begins. */
  async #join(session: Session, streamId: string): Promise<number | Refusal> {
    const source = { project: session.project, id: streamId }
    const joined = await this.env.CORE.joinSource(streamOf(session), source)
    if (isRefusal(joined)) return joined
    const { generation, start } = joined
    try {
      const listener = { sessionId: session.sessionId, generation }
      const refused = await this.#subscription(source).addSubscriber(source, listener, start)
      if (refused === null) {
        this.#storage.put({ streamId, since: systemClock.now(), state: 'joined' })
        recordEvent(this.env, { type: 'subscribe', streamId, sessionId: session.sessionId })
        return start
      }
      await this.env.CORE.leaveSource(streamOf(session), source)
      return refused
    } catch (error) {
      await this.env.CORE.leaveSource(streamOf(session), source)
      throw error
    }
  }

  async #remove(session: Session): Promise<void> {
    const startedMs = systemClock.now()
    // First the stream: what cannot be removed below is found stale by the next publish.
    await this.env.CORE.deleteStream(streamOf(session))
    const memberships = this.#storage.memberships()
    let failures = 0
    for (let at = 0; at < memberships.length; at += CLEANUP_REMOVALS) {
      const part = memberships.slice(at, at + CLEANUP_REMOVALS)
      const results = await Promise.allSettled(
        part.map(({ streamId }) =>
          this.#subscription({ project: session.project, id: streamId }).removeSubscriber(session.sessionId),
        ),
      )
      failures += results.filter(({ status }) => status === 'rejected').length
    }
    this.#storage.clear()
    await this.ctx.storage.deleteAlarm()
    await this.env.REGISTRY.delete(leaseKey(session))
    const latencyMs = systemClock.now() - startedMs
    const sizes = { count: memberships.length, latencyMs, values: [failures] }
    recordEvent(this.env, { type: 'cleanup_batch', sessionId: session.sessionId, ...sizes })
  }

  async #renew(session: Session, fromMs: number): Promise<Session> {
    const renewed = { ...session, expiresMs: fromMs + this.#ttlMs() }
    this.#storage.putSession(renewed)
    await this.#arm(renewed.expiresMs)
    const metadata = { expiresMs: renewed.expiresMs }
    const expirationTtl = Math.max(60, Math.ceil((this.#ttlMs() / 1_000) * 4))
    await this.env.REGISTRY.put(leaseKey(session), '', { metadata, expirationTtl })
    return renewed
  }

  async #arm(atMs: number): Promise<void> {
    const known = await this.ctx.storage.getAlarm()
    if (known === null || known > atMs) await this.ctx.storage.setAlarm(atMs)
  }

  #ttlMs(): number {
    return sessionTtlSeconds(this.env) * 1_000
  }

  #subscription({ project, id }: StreamName) {
    return this.env.SUBSCRIPTION_DO.getByName(objectName(project, id))
  }
}

/** All of a batch are tried before the first failure is thrown. */
async function inBatches<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += ASSIGN_BATCH) {
    const results = await Promise.allSettled(items.slice(at, at + ASSIGN_BATCH).map(work))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
}

const streamOf = ({ project, sessionId }: SessionName): StreamName => ({ project, id: sessionStreamId(sessionId) })

export const LEASE_PREFIX = 'lease:'
const leaseKey = ({ project, sessionId }: SessionName): string => `${LEASE_PREFIX}${objectName(project, sessionId)}`
