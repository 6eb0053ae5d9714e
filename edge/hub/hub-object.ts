// One shard of the hub: the sockets of its actors and everything that has to be in order for them. It sleeps when nobody
// speaks; pings are answered without waking it. The parts do the work; this is where the platform's events reach them.
import { DurableObject } from 'cloudflare:workers'
import { CLOSE } from '#shared/hub/close-codes.ts'
import type { SharedMessage } from '#shared/hub/message.ts'
import type { AnswerType } from '#shared/hub/protocol.ts'
import { PING, PONG } from '#shared/hub/tuning.ts'
import { matchesGlob } from '../streams/core/glob.ts'
import { Broadcasts } from './broadcasts.ts'
import type { BroadcastCounts } from './core/broadcast.ts'
import type { Delivered } from './core/delivery.ts'
import type { ShardMetrics } from './core/metrics-text.ts'
import type { Revocation } from './core/rights.ts'
import { REPLAY_MAX_MS, SILENT_MS } from './core/tuning.ts'
import { Door } from './door.ts'
import type { HubEnv } from './env.ts'
import { Frames } from './frames.ts'
import { Moves } from './moves.ts'
import { Answers } from './refusals.ts'
import { Registrations } from './registrations.ts'
import type {
  ActorBundle,
  BroadcastOrder,
  Call,
  Discovered,
  DiscoverWish,
  Joined,
  Moved,
  Published,
  PublishWish,
  Relay,
  Relayed,
  Replay,
  ShardRpc,
  TopicBundle,
  TopicWish,
} from './rpc.ts'
import { Sends } from './sends.ts'
import { Shard } from './shard.ts'
import { shardMetrics } from './shard-metrics.ts'
import { TopicListeners } from './topic-listeners.ts'
import { TopicOwner } from './topic-owner.ts'

export class SignalHubDurableObject extends DurableObject<HubEnv> implements ShardRpc {
  readonly #shard: Shard
  readonly #door: Door
  readonly #frames: Frames
  readonly #registrations: Registrations
  readonly #sends: Sends
  readonly #listeners: TopicListeners
  readonly #owner: TopicOwner
  readonly #broadcasts: Broadcasts
  readonly #moves: Moves

  constructor(ctx: DurableObjectState, env: HubEnv) {
    super(ctx, env)
    const shard = new Shard(ctx, env)
    const answers = new Answers(shard)
    this.#shard = shard
    this.#door = new Door(shard, (actor) => this.#moves.settle(actor))
    this.#registrations = new Registrations(shard, answers)
    this.#sends = new Sends(shard, answers)
    this.#listeners = new TopicListeners(shard, answers)
    this.#owner = new TopicOwner(shard, (topic, relay) => this.#listeners.relay(topic, relay))
    this.#listeners.owner = this.#owner
    this.#broadcasts = new Broadcasts(shard, answers, this.#sends)
    this.#moves = new Moves(shard, this.#registrations, this.#broadcasts)
    shard.placeOf = (key) => this.#moves.placeOf(key)
    this.#frames = new Frames(shard, {
      ...{ answers, registrations: this.#registrations, sends: this.#sends },
      ...{ listeners: this.#listeners, broadcasts: this.#broadcasts },
    })
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
    if (shard.isKnown) this.#sends.releaseAll()
  }

  // ── sockets

  override async fetch(request: Request): Promise<Response> {
    return this.#door.enter(request)
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.#frames.receive(socket, data)
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    this.#left(socket)
    // Answered at once, or the other side would wait for it.
    socket.close(isSendable(code) ? code : CLOSE.normal)
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#left(socket)
  }

  /** The registration stays until it runs out: its owner may come back, and messages wait for it. */
  #left(socket: WebSocket): void {
    const connection = this.#shard.connections.of(socket)
    if (connection === null) return
    const { connectionId, actor } = connection
    this.#shard.connections.forget(connectionId)
    this.#frames.forget(connectionId)
    this.#listeners.removeConnection(connectionId)
    this.#shard.storage.removeConnection(connectionId)
    if (this.#shard.connectionOf(actor) === null) this.#sends.release(actor)
  }

  // ── the alarm

  override async alarm(): Promise<void> {
    const { storage, topics, registry, connections } = this.#shard
    this.#shard.alarmRang()
    const now = this.#shard.now()
    for (const { actorAddress } of registry.expired(now)) this.#registrations.remove(actorAddress)
    for (const connectionId of storage.expiredConnections(now)) {
      connections.close(connectionId, CLOSE.tokenExpired, 'token_expired')
      this.#listeners.removeConnection(connectionId)
      storage.removeConnection(connectionId)
    }
    for (const socket of connections.all()) {
      const connection = connections.of(socket)
      if (connection !== null && connections.lastSignMs(socket, connection) < now - SILENT_MS)
        connections.close(connection.connectionId, CLOSE.silent, 'silent')
    }
    storage.sweep(now)
    topics.sweep(now - REPLAY_MAX_MS)
    topics.sweepRevocations(now)
    if (this.#shard.isKnown) {
      await this.#owner.catchUp()
      await this.#broadcasts.resume()
    }
    const next = registry.nextExpiry()
    if (next !== null) this.#shard.arm(next)
    if (topics.behind().length > 0 || storage.seenCount > 0 || connections.count() > 0) this.#shard.armSweep()
  }

  // ── what other shards and the Worker ask

  async deliver(call: Call, message: SharedMessage): Promise<Delivered> {
    this.#shard.adopt(call)
    return this.#sends.take(message)
  }

  async notify(call: Call, actor: string, type: AnswerType, payload: unknown): Promise<void> {
    this.#shard.adopt(call)
    await this.#sends.notifyAnywhere(actor, type, payload)
  }

  async publish(call: Call, topic: string, wish: PublishWish): Promise<Published> {
    this.#shard.adopt(call)
    return this.#owner.publish(topic, wish)
  }

  async joinTopics(
    call: Call,
    listener: { shard: string; generation: string },
    wishes: TopicWish[],
  ): Promise<(Joined | string)[]> {
    this.#shard.adopt(call)
    return this.#owner.join(listener, wishes)
  }

  async replay(call: Call, topic: string, since: number): Promise<Replay> {
    this.#shard.adopt(call)
    return this.#owner.replay(topic, since)
  }

  async relay(call: Call, topic: string, relay: Relay): Promise<Relayed> {
    this.#shard.adopt(call)
    return this.#listeners.relay(topic, relay)
  }

  /** With a topic: at its owner, who tells all shards in order. Without: these actors are shown the door here. */
  async revoke(call: Call, revocation: Revocation): Promise<void> {
    this.#shard.adopt(call)
    if (revocation.topic !== null) return this.#owner.revoke(revocation.topic, revocation)
    this.#listeners.revoke(revocation)
    for (const socket of this.#shard.connections.all()) {
      const connection = this.#shard.connections.of(socket)
      if (connection === null || !matchesGlob(revocation.actors, connection.actor)) continue
      const issuedAtMs = this.#shard.storage.rightsOf(connection.connectionId)?.issuedAtMs ?? 0
      if (issuedAtMs > revocation.atMs) continue
      this.#registrations.remove(connection.actor)
      this.#listeners.removeConnection(connection.connectionId)
      this.#shard.connections.close(connection.connectionId, CLOSE.revoked, 'revoked')
    }
  }

  async discover(call: Call, { limit, ...query }: DiscoverWish): Promise<Discovered> {
    this.#shard.adopt(call)
    const found = this.#shard.registry
      .discover(query, this.#shard.now())
      .sort((a, b) => b.registeredAt - a.registeredAt)
    const actors = found.slice(0, limit).map(({ renewalToken: _, row: __, ...registration }) => registration)
    return { actors, hasMore: found.length > limit }
  }

  async coordinateBroadcast(call: Call, order: BroadcastOrder): Promise<BroadcastCounts> {
    this.#shard.adopt(call)
    return this.#broadcasts.coordinate(order)
  }

  async takeBroadcast(call: Call, order: BroadcastOrder): Promise<BroadcastCounts> {
    this.#shard.adopt(call)
    return this.#broadcasts.take(order)
  }

  async reportBroadcast(call: Call, key: string, shard: string, counts: BroadcastCounts): Promise<void> {
    this.#shard.adopt(call)
    this.#broadcasts.settle(key, shard, counts)
  }

  async runBatch(call: Call, key: string, batch: number): Promise<void> {
    this.#shard.adopt(call)
    await this.#broadcasts.runBatch(key, batch)
  }

  async metrics(call: Call): Promise<ShardMetrics> {
    this.#shard.adopt(call)
    return shardMetrics(this.#shard, this.#broadcasts.queueDepth())
  }

  async moveOn(call: Call): Promise<Moved> {
    this.#shard.adopt(call)
    return this.#moves.moveOn()
  }

  async acceptActor(call: Call, moveId: string, bundle: ActorBundle): Promise<void> {
    this.#shard.adopt(call)
    this.#moves.acceptActor(moveId, bundle)
  }

  async acceptTopic(call: Call, moveId: string, bundle: TopicBundle): Promise<void> {
    this.#shard.adopt(call)
    this.#moves.acceptTopic(moveId, bundle)
  }
}

/** Codes that only describe what happened may not be sent. */
const isSendable = (code: number): boolean => code === CLOSE.normal || (code >= 3_000 && code <= 4_999)
