// What one session listens to, and how long it lives. A session has a stream of its own in the core, into which its topics
// are copied; it ends when its lease is over and nobody read the stream meanwhile, and takes everything along. Changes run
// one after the other, and each is written down before it is begun, so that the alarm brings to its end what was cut off.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import { Serial } from '../lib/serial.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import type { StreamName } from '../streams/core-service.ts'
import {
  CATCH_UP_SOURCES,
  CLEANUP_REMOVALS,
  JOIN_BATCH,
  JOIN_CHUNK,
  MAX_STREAMS_PER_SESSION,
  STREAM_LIVES_PER_LEASE,
} from './constants.ts'
import { sessionStreamId, subscriptionObjectName } from './core/route.ts'
import { repairTimes, type SubscriptionsEnv, sessionTtlSeconds } from './env.ts'
import { recordEvent } from './events.ts'
import { forgetLease, noteLease } from './lease-notes.ts'
import type { Assigned, SessionInfo, SessionName, SessionRpc, Subscribed } from './rpc.ts'
import { type Session, SessionStorage } from './session-storage.ts'

const DEFAULT_CONTENT_TYPE = 'application/json'

type Joined = { startOffset: number | null; isDirect: boolean }

export class SessionDO extends DurableObject<SubscriptionsEnv> implements SessionRpc {
  readonly #storage: SessionStorage
  readonly #changes = new Serial()

  constructor(ctx: DurableObjectState, env: SubscriptionsEnv) {
    super(ctx, env)
    this.#storage = new SessionStorage(ctx.storage.sql)
  }

  subscribe(name: SessionName, streamIds: string[]): Promise<Subscribed | Refusal> {
    return this.#changes.run(() => this.#subscribe(name, streamIds))
  }

  unsubscribe(name: SessionName, streamIds: string[]): Promise<void> {
    return this.#changes.run(async () => {
      // Without a session there is nobody who could finish it later; but what the caller forbids must not be copied.
      if (this.#storage.session() !== null) {
        const since = systemClock.now()
        for (const streamId of streamIds) this.#storage.put({ streamId, since, state: 'leaving' })
        await this.#arm(since + repairTimes(this.env).joinMs)
      }
      await inBatches(streamIds, (streamId) => this.#leave(name, streamId))
    })
  }

  assign(name: SessionName, version: number, streamIds: string[]): Promise<Assigned | Refusal> {
    return this.#changes.run(() => this.#assign(name, version, streamIds))
  }

  async info(): Promise<SessionInfo | null> {
    const session = this.#storage.session()
    if (session === null || isRefusal(await this.env.CORE.headStream(streamOf(session)))) return null
    const subscriptions = this.#storage
      .memberships()
      .flatMap(({ state, ...rest }) => (state === 'leaving' ? [] : [{ ...rest, state }]))
    return { sessionId: session.sessionId, expiresAt: session.expiresMs, subscriptions }
  }

  touch(): Promise<number | null> {
    return this.#changes.run(async () => {
      const session = this.#storage.session()
      if (session === null || !(await this.env.CORE.touchStream(streamOf(session)))) return null
      recordEvent(this.env, { type: 'session_touch', sessionId: session.sessionId })
      // A second way for what no delivery brought; nobody waits for it, and the alarms of the topics are the first.
      this.ctx.waitUntil(this.env.CORE.catchUp(streamOf(session), CATCH_UP_SOURCES).catch(() => {}))
      return (await this.#renew(session, systemClock.now())).expiresMs
    })
  }

  end(): Promise<boolean> {
    return this.#changes.run(async () => {
      const session = this.#storage.session()
      if (session === null) return false
      await this.#remove(session)
      recordEvent(this.env, { type: 'session_delete', sessionId: session.sessionId })
      return true
    })
  }

  sweep(): Promise<boolean> {
    return this.#changes.run(async () => {
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
    })
  }

  override async alarm(): Promise<void> {
    let failed = false
    try {
      if (await this.sweep()) return
      failed = !(await this.#finish())
    } catch (error) {
      // Not left to the platform, which gives up after six tries.
      console.warn(JSON.stringify({ message: 'session alarm postponed', error: String(error) }))
      failed = true
    }
    const now = systemClock.now()
    if (failed) await this.#arm(now + repairTimes(this.env).joinMs)
    else if (this.#storage.unfinished(1).length > 0) await this.#arm(now)
    const session = this.#storage.session()
    if (session !== null) await this.#arm(session.expiresMs)
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
    const since = systemClock.now()
    // What is read directly may have become small enough to be copied.
    for (const streamId of streamIds)
      if (this.#storage.membership(streamId)?.state !== 'joined')
        this.#storage.put({ streamId, since, state: 'joining' })
    await this.#arm(only === undefined ? since : since + repairTimes(this.env).joinMs)
    if (only === undefined) return { ...done, startOffset: null, isDirect: false }
    if (this.#storage.membership(only)?.state === 'joined') return { ...done, startOffset: null, isDirect: false }
    try {
      const joined = await this.#join(session, only)
      if (!isRefusal(joined)) return { ...done, ...joined }
      if (isNewSession) await this.#remove(session)
      return joined
    } catch (error) {
      // Whether it took effect cannot be known; the caller hears of a failure, so the alarm undoes it.
      this.#storage.put({ streamId: only, since, state: 'leaving' })
      if (isNewSession) await this.#remove(session)
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
    const wanted = new Set(streamIds)
    const known = this.#storage.memberships()
    const joined = new Set(known.filter(({ state }) => state === 'joined').map(({ streamId }) => streamId))
    const extra = known.map(({ streamId }) => streamId).filter((streamId) => !wanted.has(streamId))
    const fresh = streamIds.filter((streamId) => !joined.has(streamId))
    // Written down before it is begun: whatever happens in between, the alarm brings it to this end.
    const since = systemClock.now()
    this.#storage.putSession(session)
    for (const streamId of extra) this.#storage.put({ streamId, since, state: 'leaving' })
    for (const streamId of fresh) this.#storage.put({ streamId, since, state: 'joining' })
    await this.#arm(since + repairTimes(this.env).joinMs)
    await inBatches(extra, (streamId) => this.#leave(name, streamId))
    const [missing, direct]: [string[], string[]] = [[], []]
    await inBatches(fresh, async (streamId) => {
      const done = await this.#join(session, streamId)
      if (isRefusal(done)) missing.push(streamId)
      else if (done.isDirect) direct.push(streamId)
    })
    return { expiresAt: session.expiresMs, isNewSession, start, missing, direct }
  }

  async #open(name: SessionName, contentType: string) {
    const known = this.#storage.session()
    const stream = streamOf(name)
    // Looked at first, not made again: its life may have been another one when it was made.
    const there = known === null ? null : await this.env.CORE.headStream(stream)
    if (known !== null && there !== null && !isRefusal(there)) {
      await this.env.CORE.touchStream(stream)
      return { session: await this.#renew(known, systemClock.now()), isNewSession: false, start: there.tail }
    }
    const ttlSeconds = sessionTtlSeconds(this.env) * STREAM_LIVES_PER_LEASE
    const made = await this.env.CORE.putStream(stream, contentType, ttlSeconds)
    if (isRefusal(made)) return made
    // What we remember belongs to a session whose stream ended without us.
    this.#storage.clear()
    const fresh = { ...name, contentType: made.contentType, expiresMs: 0, version: 0 }
    const session = await this.#renew(fresh, systemClock.now())
    recordEvent(this.env, { type: 'session_create', sessionId: name.sessionId })
    return { session, isNewSession: true, start: made.tail }
  }

  /** What waits to be joined or left. False when something has to be tried again. */
  async #finish(): Promise<boolean> {
    const waiting = this.#storage.unfinished(JOIN_CHUNK)
    let finished = true
    for (let at = 0; at < waiting.length; at += JOIN_BATCH) {
      const batch = waiting.slice(at, at + JOIN_BATCH)
      const results = await this.#changes.run(() =>
        Promise.allSettled(batch.map(({ streamId }) => this.#finishOne(streamId))),
      )
      for (const result of results)
        if (result.status === 'rejected') {
          finished = false
          console.warn(JSON.stringify({ message: 'join or leave postponed', error: String(result.reason) }))
        }
    }
    return finished
  }

  async #finishOne(streamId: string): Promise<void> {
    const session = this.#storage.session()
    // Looked at again: whoever came before us may have changed it.
    const state = this.#storage.membership(streamId)?.state
    if (session === null) return
    if (state === 'joining') await this.#join(session, streamId)
    if (state === 'leaving') await this.#leave(session, streamId)
  }

  /** What does not exist, or cannot be copied here, is refused and not listened to. */
  async #join(session: Session, streamId: string): Promise<Joined | Refusal> {
    const source = { project: session.project, id: streamId }
    const joined = await this.env.CORE.joinSource(streamOf(session), source)
    if (isRefusal(joined)) {
      this.#storage.remove(streamId)
      return joined
    }
    const { generation, incarnation, start } = joined
    const listener = { sessionId: session.sessionId, generation }
    const isCopied = await this.#subscription(source).addSubscriber(source, listener, { incarnation, offset: start })
    if (!isCopied) await this.env.CORE.leaveSource(streamOf(session), source)
    this.#storage.put({ streamId, since: systemClock.now(), state: isCopied ? 'joined' : 'direct' })
    const detail = isCopied ? '' : 'direct'
    recordEvent(this.env, { type: 'subscribe', streamId, sessionId: session.sessionId, detail })
    return { startOffset: start, isDirect: !isCopied }
  }

  async #leave(name: SessionName, streamId: string): Promise<void> {
    const source = { project: name.project, id: streamId }
    // First where copies arrive: from here on whatever is still on its way is refused there.
    await this.env.CORE.leaveSource(streamOf(name), source)
    await this.#subscription(source).removeSubscriber(name.sessionId)
    this.#storage.remove(streamId)
    recordEvent(this.env, { type: 'unsubscribe', streamId, sessionId: name.sessionId })
  }

  async #remove(session: Session): Promise<void> {
    const startedMs = systemClock.now()
    // First the stream: what cannot be removed below is found stale by the next publish.
    await this.env.CORE.deleteStream(streamOf(session))
    const memberships = this.#storage.memberships().filter(({ state }) => state !== 'direct')
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
    this.ctx.waitUntil(forgetLease(this.env.REGISTRY, session))
    const latencyMs = systemClock.now() - startedMs
    const sizes = { count: memberships.length, latencyMs, values: [failures] }
    recordEvent(this.env, { type: 'cleanup_batch', sessionId: session.sessionId, ...sizes })
  }

  async #renew(session: Session, fromMs: number): Promise<Session> {
    const renewed = { ...session, expiresMs: fromMs + this.#ttlMs() }
    this.#storage.putSession(renewed)
    await this.#arm(renewed.expiresMs)
    this.ctx.waitUntil(noteLease(this.env.REGISTRY, renewed, renewed.expiresMs, this.#ttlMs()))
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
    return this.env.SUBSCRIPTION_DO.getByName(subscriptionObjectName(project, id))
  }
}

const streamOf = ({ project, sessionId }: SessionName): StreamName => ({ project, id: sessionStreamId(sessionId) })

/** All of a batch are tried before the first failure is thrown. */
async function inBatches<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += JOIN_BATCH) {
    const results = await Promise.allSettled(items.slice(at, at + JOIN_BATCH).map(work))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
}
