// A project's directory: which streams it has, and the protocol's own subscriptions on them (§6, §7). A stream tells it
// of appends only while a subscription covers that stream. Wakes are decided in core/wake.ts, written down, then carried
// out; leases and retries are kept by the alarm, so they survive sleep.
import { DurableObject } from 'cloudflare:workers'
import { systemClock, systemRandom } from '#shared/clock.ts'
import { matchesGlob } from './core/glob.ts'
import { formatOffset, type Position, parseOffset } from './core/offset.ts'
import { isRefusal } from './core/refusal.ts'
import { objectName } from './core/route.ts'
import { fingerprint, type SubscriptionConfig } from './core/subscription.ts'
import { ASLEEP, isCurrent, nextLookMs, stepWake, type Wake, type WakeEffect, type WakeSignal } from './core/wake.ts'
import { DirectoryKeys, type PublicKey } from './directory-keys.ts'
import { DirectoryStorage, type Link, type Subscription } from './directory-storage.ts'
import type { StreamsEnv } from './env.ts'
import type {
  Claimed,
  ControlError,
  DirectoryRpc,
  LinkState,
  LinkView,
  Settle,
  Settled,
  SubscriptionView,
} from './rpc.ts'

const WEBHOOK_LIMIT_MS = 10_000

const NOT_FOUND: ControlError = { code: 'NOT_FOUND', status: 404 }
const FENCED: ControlError = { code: 'FENCED', status: 409 }
const UNAUTHORIZED: ControlError = { code: 'UNAUTHORIZED', status: 401 }

export class DirectoryObject extends DurableObject<StreamsEnv> implements DirectoryRpc {
  readonly #storage: DirectoryStorage
  readonly #keys: DirectoryKeys

  constructor(ctx: DurableObjectState, env: StreamsEnv) {
    super(ctx, env)
    this.#storage = new DirectoryStorage(ctx.storage.sql)
    this.#keys = new DirectoryKeys(this.#storage)
  }

  // For streams.

  async enlist(project: string, id: string, base: Position): Promise<boolean> {
    this.#remember(project)
    this.#storage.addStream(id)
    for (const { id: subscription, config } of this.#storage.subscriptions())
      if (config.pattern !== null && matchesGlob(config.pattern, id)) this.#storage.link(subscription, id, 'glob', base)
    return this.#storage.linkedSubscriptions(id).length > 0
  }

  async unlist(project: string, id: string): Promise<void> {
    this.#remember(project)
    this.#storage.removeStream(id)
    this.#storage.dropGlobLinks(id)
  }

  async appended(project: string, id: string, tail: Position): Promise<void> {
    this.#remember(project)
    this.#storage.moveTail(id, tail)
    for (const subscription of this.#storage.linkedSubscriptions(id)) await this.#lookAfter(subscription)
  }

  // The origin's sign of life.

  async noteBeat(atMs: number): Promise<void> {
    await this.ctx.storage.put('beat', atMs)
  }

  async beatAtMs(): Promise<number | null> {
    return (await this.ctx.storage.get<number>('beat')) ?? null
  }

  // For people and workers.

  async publicKey(): Promise<PublicKey> {
    return this.#keys.publicKey()
  }

  async subscribe(
    project: string,
    id: string,
    config: SubscriptionConfig,
    root: string,
  ): Promise<(SubscriptionView & { created: boolean }) | ControlError> {
    this.#remember(project)
    const existing = this.#storage.subscription(id)
    if (existing !== null) {
      if (fingerprint(existing.config) !== fingerprint(config)) return { code: 'CONFLICT', status: 409 }
      return { ...(await this.#view(existing)), created: false }
    }
    const subscription: Subscription = { id, config, wake: ASLEEP, createdMs: systemClock.now(), root }
    this.#storage.putSubscription(subscription)
    const { pattern } = config
    const covered = pattern === null ? [] : this.#storage.streams().filter((stream) => matchesGlob(pattern, stream))
    for (const stream of covered) await this.#join(id, stream, 'glob')
    for (const stream of config.streams) await this.#join(id, stream, 'explicit')
    return { ...(await this.#view(subscription)), created: true }
  }

  async subscription(id: string): Promise<SubscriptionView | null> {
    const subscription = this.#storage.subscription(id)
    return subscription === null ? null : this.#view(subscription)
  }

  async unsubscribe(id: string): Promise<void> {
    const streams = this.#storage.links(id).map(({ stream }) => stream)
    this.#storage.removeSubscription(id)
    for (const stream of streams) await this.#leaveAlone(stream)
  }

  async addStreams(id: string, streams: string[]): Promise<ControlError | null> {
    if (this.#storage.subscription(id) === null) return NOT_FOUND
    for (const stream of streams) await this.#join(id, stream, 'explicit')
    return null
  }

  async removeStream(id: string, stream: string): Promise<ControlError | null> {
    if (this.#storage.subscription(id) === null) return NOT_FOUND
    this.#storage.unlinkExplicit(id, stream)
    await this.#leaveAlone(stream)
    return null
  }

  async claim(id: string, worker: string): Promise<Claimed | ControlError> {
    const subscription = this.#storage.subscription(id)
    if (subscription === null) return NOT_FOUND
    if (subscription.config.type !== 'pull-wake') return { code: 'INVALID_REQUEST', status: 400 }
    const signal: WakeSignal = {
      ...{ type: 'claim', nowMs: systemClock.now(), wakeId: newWakeId(), worker },
      pending: this.#hasPending(id),
    }
    const { wake, effects } = this.#step(subscription, signal)
    const refused = effects.find((effect) => effect.do === 'refuse')
    if (refused !== undefined)
      return {
        code: refused.code,
        status: 409,
        generation: wake.generation,
        ...(wake.phase === 'held' ? { current_holder: wake.holder } : {}),
      }
    await this.#arm()
    return this.#wakeBody(id, wake, await this.#keys.wakeToken(id, wake.generation), subscription.config.leaseMs)
  }

  async settle(id: string, token: string, { wakeId, generation, acks, done }: Settle): Promise<Settled | ControlError> {
    const subscription = await this.#holderOf(id, token, generation, wakeId)
    if ('code' in subscription) return subscription
    const places = acks.map(({ stream, offset }) => ({ stream, at: parseOffset(offset) }))
    const unknown = places.find(({ at }) => at === null)
    if (unknown !== undefined) return { code: 'INVALID_OFFSET', status: 400, stream: unknown.stream }
    this.ctx.storage.transactionSync(() => {
      for (const { stream, at } of places) this.#storage.ack(id, stream, at ?? 0)
      this.#step(subscription, done ? { type: 'done' } : { type: 'heartbeat', nowMs: systemClock.now() })
    })
    const nextWake = done && this.#hasPending(id)
    await this.#lookAfter(id)
    return { ok: true, next_wake: nextWake }
  }

  async release(id: string, token: string, wakeId: string, generation: number): Promise<ControlError | null> {
    const subscription = await this.#holderOf(id, token, generation, wakeId)
    if ('code' in subscription) return subscription
    this.#step(subscription, { type: 'done' })
    await this.#lookAfter(id)
    return null
  }

  override async alarm(): Promise<void> {
    for (const { id } of this.#storage.subscriptions()) await this.#lookAfter(id)
  }

  // Inside.

  async #holderOf(id: string, token: string, generation: number, wakeId: string): Promise<Subscription | ControlError> {
    const spokenFor = await this.#keys.generationOf(token, id)
    const subscription = this.#storage.subscription(id)
    if (subscription === null) return NOT_FOUND
    if (spokenFor === null) return UNAUTHORIZED
    const current = spokenFor === generation && isCurrent(subscription.wake, generation, wakeId)
    return current ? subscription : FENCED
  }

  /** Decides, and writes down what was decided. */
  #step(subscription: Subscription, signal: WakeSignal): { wake: Wake; effects: WakeEffect[] } {
    const { type: delivery, leaseMs } = subscription.config
    const { wake, effects } = stepWake(subscription.wake, signal, { delivery, leaseMs })
    if (wake !== subscription.wake) this.#storage.putSubscription({ ...subscription, wake })
    return { wake, effects }
  }

  /** Ends a lease that is over, wakes for work that waits, and sets the alarm for the next look. */
  async #lookAfter(id: string): Promise<void> {
    const before = this.#storage.subscription(id)
    if (before === null) return
    const nowMs = systemClock.now()
    const { wake } = this.#step(before, { type: 'tick', nowMs })
    if (this.#hasPending(id)) {
      const woken = this.#step({ ...before, wake }, { type: 'work', nowMs, wakeId: newWakeId() })
      for (const effect of woken.effects) {
        if (effect.do === 'announce') await this.#announce(before, woken.wake)
        // A receiver may take its time; whoever appended does not wait for it.
        if (effect.do === 'deliver') this.ctx.waitUntil(this.#deliver(before, woken.wake))
      }
    }
    await this.#arm()
  }

  async #announce({ id, config }: Subscription, wake: Wake): Promise<void> {
    const stream = this.#storage.links(id).find((link) => link.tail > link.acked)?.stream
    const event = { type: 'wake', subscription_id: id, stream, generation: wake.generation, ts: systemClock.now() }
    const target = this.#stream(config.wakeStream ?? '')
    const written = await target.append({
      ...{ contentType: 'application/json', close: false, stamp: null, writerSeq: null },
      body: new TextEncoder().encode(JSON.stringify(event)),
    })
    // The application makes the wake stream; without one, workers can still claim.
    if (isRefusal(written)) console.warn(JSON.stringify({ message: 'no wake stream', id, status: written.status }))
  }

  async #deliver(subscription: Subscription, wake: Wake): Promise<void> {
    const { id, config, root } = subscription
    if (wake.phase !== 'held') return
    const token = await this.#keys.wakeToken(id, wake.generation)
    const streams = this.#linkSnapshot(id)
    const body = JSON.stringify({
      ...{ subscription_id: id, wake_id: wake.wakeId, generation: wake.generation, streams },
      ...{ callback_url: `${root}/__ds/subscriptions/${id}/callback`, callback_token: token },
    })
    const isDone = await this.#post(config.webhookUrl ?? '', body)
    const now = this.#storage.subscription(id)
    // Deleted, called back or expired meanwhile: the answer means nothing any more.
    if (now === null || !isCurrent(now.wake, wake.generation, wake.wakeId)) return
    if (isDone === null) this.#step(now, { type: 'failed', nowMs: systemClock.now(), roll: systemRandom() })
    else if (isDone) {
      this.ctx.storage.transactionSync(() => {
        for (const { path, tail_offset } of streams) this.#storage.ack(id, path, parseOffset(tail_offset) ?? 0)
        this.#step(now, { type: 'done' })
      })
    }
    await this.#lookAfter(id)
  }

  /** Whether the receiver is done already; null when it was not reached or refused. */
  async #post(address: string, body: string): Promise<boolean | null> {
    const signature = await this.#keys.signature(body, Math.floor(systemClock.now() / 1_000))
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Webhook-Signature': signature },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(WEBHOOK_LIMIT_MS),
      })
      const text = await response.text()
      return response.ok ? saysDone(text) : null
    } catch (error) {
      console.warn(JSON.stringify({ message: 'webhook not delivered', error: String(error) }))
      return null
    }
  }

  async #join(id: string, stream: string, kind: 'explicit' | 'glob'): Promise<void> {
    const tail = await this.#stream(stream).watch(true)
    if (tail === null && kind === 'glob') return
    this.#storage.link(id, stream, kind, tail ?? 0)
  }

  async #leaveAlone(stream: string): Promise<void> {
    if (this.#storage.linkedSubscriptions(stream).length === 0) await this.#stream(stream).watch(false)
  }

  async #view(subscription: Subscription): Promise<SubscriptionView> {
    const links = this.#storage.links(subscription.id).map((link) => linkView(link))
    return { subscription, links, key: await this.#keys.publicKey() }
  }

  #linkSnapshot(id: string): LinkState[] {
    return this.#storage.links(id).map((link) => ({
      ...linkView(link),
      tail_offset: formatOffset(link.tail),
      has_pending: link.tail > link.acked,
    }))
  }

  #wakeBody(id: string, wake: Wake, token: string, leaseMs: number): Claimed {
    const wakeId = wake.phase === 'idle' ? '' : wake.wakeId
    const streams = this.#linkSnapshot(id)
    return { wake_id: wakeId, generation: wake.generation, token, streams, lease_ttl_ms: leaseMs }
  }

  #hasPending(id: string): boolean {
    return this.#storage.links(id).some(({ acked, tail }) => tail > acked)
  }

  async #arm(): Promise<void> {
    const looks = this.#storage.subscriptions().map(({ wake }) => nextLookMs(wake))
    const next = Math.min(...looks.filter((at) => at !== null))
    if (next === Number.POSITIVE_INFINITY) return
    const known = await this.ctx.storage.getAlarm()
    if (known === null || known > next) await this.ctx.storage.setAlarm(next)
  }

  /** An alarm does not tell us our name, and our streams are named after it. */
  #remember(project: string): void {
    if (this.#storage.secret('project') === null) this.#storage.putSecret('project', project)
  }

  #stream(id: string) {
    return this.env.STREAM_DO.getByName(objectName(this.#storage.secret('project') ?? '', id))
  }
}

const newWakeId = (): string => `w_${crypto.randomUUID()}`

const linkView = ({ stream, explicit, acked }: Link): LinkView => ({
  path: stream,
  link_type: explicit ? 'explicit' : 'glob',
  acked_offset: formatOffset(acked),
})

function saysDone(text: string): boolean {
  try {
    return (JSON.parse(text) as { done?: unknown } | null)?.done === true
  } catch {
    // A receiver need not answer in JSON; then it calls back.
    return false
  }
}
