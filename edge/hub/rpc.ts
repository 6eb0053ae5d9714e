// What shards may be asked, by the Worker and by each other, and what the ring's keeper may be asked. Nothing of this can
// be reached from outside.
import type { Content, SharedMessage } from '#shared/hub/message.ts'
import type { ActorRegistration, AnswerType, TopicEvent } from '#shared/hub/protocol.ts'
import type { BroadcastCounts } from './core/broadcast.ts'
import type { Delivered } from './core/delivery.ts'
import type { ShardMetrics } from './core/metrics-text.ts'
import type { StoredRegistration } from './core/registry.ts'
import type { Revocation, Rights } from './core/rights.ts'
import type { RingView } from './core/ring.ts'

/** Goes along with every call: whom it is meant for, and the ring that the caller knows. */
export type Call = { project: string; shard: string; view: RingView }

/** What the Worker found out about a connection before it handed it over. */
export type Entry = { call: Call; actor: string; rights: Rights }
export const ENTRY_HEADER = 'X-Hub-Entry'
/** The shard to ask instead, when the actor belongs elsewhere. */
export const MOVED_HEADER = 'X-Hub-Moved'

export type PublishWish = {
  /** Null: the topic's next number. */
  seq: number | null
  id: string
  from: string
  message: Content
  timestamp: number
  ttl: number | null
  /** Rights that end before this event is delivered. */
  revoke: Revocation[]
}
export type Published = { is: 'published'; seq: number; duplicate: boolean } | { is: 'expired' } | { is: 'too_large' }

export type TopicWish = { topic: string; since: number | null }
export type Joined = { topic: string; lastSeq: number; revocations: Revocation[]; replay: Replay | null }
export type Replay = { events: TopicEvent[]; completeSince: number; lastSeq: number }
export type Relay = { revocations: Revocation[]; events: { seq: number; event: string }[] }
/** Not heard: nobody here listens any more. */
export type Relayed = { heard: boolean }

export type DiscoverWish = { pattern: string; capability?: string | undefined; limit: number }
export type Discovered = { actors: ActorRegistration[]; hasMore: boolean }

export type BroadcastOrder = {
  messageId: string
  sender: string
  /** The frame, one text for everybody. */
  frame: string
  capability: string | null
  excludeSender: boolean
  startedAt: number
  expiresAt: number
  /** The shard that counts. */
  coordinator: string
}

/** Everything that a shard keeps for an actor, or as the owner of a topic. */
export type ActorBundle = {
  actor: string
  registration: StoredRegistration | null
  inbox: { sender: string; id: string; frame: string; expiresAt: number }[]
  seen: { sender: string; id: string; status: string; deliveredAt: number; expiresAt: number }[]
}
export type TopicBundle = {
  topic: string
  lastSeq: number
  trimmedSeq: number
  events: { seq: number; event: string }[]
  listeners: { shard: string; generation: string; behindFrom: number | null }[]
  revocations: { revocation: Revocation; expiresAt: number }[]
}
export type Moved = { moved: number; remaining: number }

export interface ShardRpc extends Rpc.DurableObjectBranded {
  fetch(request: Request): Promise<Response>
  deliver(call: Call, message: SharedMessage): Promise<Delivered>
  /** A notice of the hub to an actor of this shard, if it is connected. */
  notify(call: Call, actor: string, type: AnswerType, payload: unknown): Promise<void>
  publish(call: Call, topic: string, wish: PublishWish): Promise<Published>
  joinTopics(
    call: Call,
    listener: { shard: string; generation: string },
    wishes: TopicWish[],
  ): Promise<(Joined | string)[]>
  replay(call: Call, topic: string, since: number): Promise<Replay>
  relay(call: Call, topic: string, relay: Relay): Promise<Relayed>
  revoke(call: Call, revocation: Revocation): Promise<void>
  discover(call: Call, wish: DiscoverWish): Promise<Discovered>
  /** Brings a message to everybody, on all shards. */
  coordinateBroadcast(call: Call, order: BroadcastOrder): Promise<BroadcastCounts>
  /** Brings it to this shard's actors: the first slice at once, the others later. */
  takeBroadcast(call: Call, order: BroadcastOrder): Promise<BroadcastCounts>
  reportBroadcast(call: Call, key: string, shard: string, counts: BroadcastCounts): Promise<void>
  /** A slice that came through the queue. */
  runBatch(call: Call, key: string, batch: number): Promise<void>
  metrics(call: Call): Promise<ShardMetrics>
  /** Hands on some of what the ring gives to others. */
  moveOn(call: Call): Promise<Moved>
  acceptActor(call: Call, moveId: string, bundle: ActorBundle): Promise<void>
  acceptTopic(call: Call, moveId: string, bundle: TopicBundle): Promise<void>
}

export type RingChange = { shards: string[]; failed: string[] }
export type RingStatus = {
  view: RingView
  /** While rings change, and for shards that were given up until they have handed everything over. */
  progress: Record<string, { moved: number; remaining: number | null }>
}

export interface RingRpc extends Rpc.DurableObjectBranded {
  view(project: string): Promise<RingView>
  status(project: string): Promise<RingStatus>
  /** Null while another change is under way. */
  change(project: string, wish: RingChange): Promise<RingStatus | null>
}
