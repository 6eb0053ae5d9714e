// What the parts of a shard have in common: its memory, its sockets, the ring, the one alarm, and the way to other shards.
import { type Clock, systemClock } from '#shared/clock.ts'
import { Connections } from './connections.ts'
import { Registry, type StoredRegistration } from './core/registry.ts'
import type { RingView } from './core/ring.ts'
import { SHARD_TIMEOUT_MS, SWEEP_MS } from './core/tuning.ts'
import type { HubEnv } from './env.ts'
import { HubCounters } from './hub-counters.ts'
import { HubStorage } from './hub-storage.ts'
import type { Call, ShardRpc } from './rpc.ts'
import { TopicStorage } from './topic-storage.ts'

type Identity = { project: string; shard: string; view: RingView }

export class Shard {
  readonly ctx: DurableObjectState
  readonly env: HubEnv
  readonly clock: Clock = systemClock
  readonly storage: HubStorage
  readonly topics: TopicStorage
  readonly registry: Registry
  readonly connections: Connections
  readonly counters: HubCounters
  /** Null: the key is here. Otherwise where it is, or will be in a moment. Set once, by the part that moves things. */
  placeOf!: (key: string) => null | string | Promise<string>
  #identity: Identity | null
  #alarmAt: number | null = null

  constructor(ctx: DurableObjectState, env: HubEnv) {
    this.ctx = ctx
    this.env = env
    this.storage = new HubStorage(ctx.storage.sql)
    this.topics = new TopicStorage(ctx.storage.sql)
    this.connections = new Connections(ctx)
    this.counters = new HubCounters(ctx, this.connections)
    const now = this.clock.now()
    this.registry = new Registry(this.storage.registrations().filter(({ expiresAt }) => expiresAt > now))
    const identity = this.storage.get('identity')
    this.#identity = identity === null ? null : (JSON.parse(identity) as Identity)
  }

  now(): number {
    return this.clock.now()
  }

  /** Learns from a caller who we are and which ring is the newest. */
  adopt({ project, shard, view }: Call): void {
    if (this.#identity !== null && this.#identity.view.version >= view.version) return
    this.#identity = { project, shard, view }
    this.storage.put('identity', JSON.stringify(this.#identity))
  }

  get identity(): Identity {
    if (this.#identity === null) throw new Error('nobody has told this shard who it is')
    return this.#identity
  }

  get isKnown(): boolean {
    return this.#identity !== null
  }

  get name(): string {
    return this.identity.shard
  }

  /** What goes along with a call to that shard. */
  callTo(shard: string): Call {
    const { project, view } = this.identity
    return { project, shard, view }
  }

  peer(shard: string): ShardRpc {
    return shardOf(this.env, this.identity.project, shard)
  }

  /** Where the key is: here, or one call away. */
  async route<Result>(
    key: string,
    here: () => Result | Promise<Result>,
    there: (peer: ShardRpc, call: Call) => Promise<Result>,
  ): Promise<Result> {
    const place = this.placeOf(key)
    if (place === null) return here()
    const shard = await place
    return withinTime(there(this.peer(shard), this.callTo(shard)))
  }

  /** The registration that a connected actor speaks under, or null. */
  registrationOf(actor: string, connectionId: string): StoredRegistration | null {
    const found = this.registry.get(actor, this.now())
    return found?.connectionId === connectionId ? found : null
  }

  /** The connection that a registered actor has now, or null. */
  connectionOf(actor: string): string | null {
    const found = this.registry.get(actor, this.now())
    return found !== null && this.connections.find(found.connectionId) !== null ? found.connectionId : null
  }

  /** The object has one alarm: the earliest wish counts. */
  arm(atMs: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= atMs) return
    this.#alarmAt = atMs
    void this.#setAlarm(atMs)
  }

  /** Memory that has run out is cleared within a minute. */
  armSweep(): void {
    this.arm(this.now() + SWEEP_MS)
  }

  alarmRang(): void {
    this.#alarmAt = null
  }

  async #setAlarm(atMs: number): Promise<void> {
    // After a sleep we do not know what was armed before it.
    const stored = await this.ctx.storage.getAlarm()
    if (stored === null || stored > atMs) await this.ctx.storage.setAlarm(atMs)
  }
}

/**
 * A project's name has no slash, so a project cannot spell another's shard. Everything that goes over is plain data, so the
 * methods are as they are written; the platform's own types for them give up on `unknown`.
 */
export const shardOf = (env: HubEnv, project: string, shard: string): ShardRpc =>
  env.SIGNAL_HUB.getByName(`${project}/${shard}`) as unknown as ShardRpc

/** A call that does not come back within its time has failed. */
export function withinTime<Value>(call: Promise<Value>, limitMs = SHARD_TIMEOUT_MS): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), limitMs)
  })
  return Promise.race([call, limit]).finally(() => {
    if (timer !== null) clearTimeout(timer)
  })
}

export const warn = (message: string, facts: Record<string, unknown>): void =>
  console.warn(JSON.stringify({ message, ...facts }))
