// What the two kinds of objects may be asked.
import type { AppendRequest } from '../streams/core/append.ts'
import type { Position } from '../streams/core/offset.ts'
import type { Refusal } from '../streams/core/refusal.ts'
import type { StreamName } from '../streams/core-service.ts'
import type { Appended } from '../streams/rpc.ts'
import type { Fanout, Listener } from './core/plan.ts'

/** Up to where a source has come, or somebody has it. Offsets of two incarnations have nothing to do with each other. */
export type Place = { incarnation: string; offset: Position }
export type Published = { appended: Appended | Refusal; fanout: Fanout }
export type FanoutOutcome = { delivered: Listener[]; stale: Listener[]; failed: Listener[] }
/** One publish on its way: the bytes after `prevOffset`, carried when they are few. */
export type Publication = Place & { prevOffset: Position; carried: Uint8Array | null }

/** Who listens to a stream: `<project>/<stream>`, and from the 5,001st listener on others beside it. */
export interface SubscriptionRpc extends Rpc.DurableObjectBranded {
  publish(name: StreamName, request: AppendRequest): Promise<Published>
  /** `start` is where the session's copy begins; whatever came after it is owed at once. False when there are too many. */
  addSubscriber(name: StreamName, listener: Listener, start: Place): Promise<boolean>
  removeSubscriber(sessionId: string): Promise<void>
  /** What became of listeners that were reached through the queue. */
  settle(outcome: FanoutOutcome, place: Place): Promise<void>

  // Asked of a shard by the first of them.

  /** How many it has now, or null when it is full. `last` is how far the source has come. */
  shareSubscriber(shard: ShardName, listener: Listener, start: Place, last: Place): Promise<number | null>
  /** Brings a publish to its listeners, of `total` in all. */
  shareFanout(publication: Publication, total: number): Promise<Fanout>
  /** The source has come this far; whoever does not have it all is caught up. */
  shareProgress(last: Place): Promise<void>
}

/** The first is 0 and has the stream's own name. */
export type ShardName = StreamName & { shard: number }

export type SessionName = { project: string; sessionId: string }
export type SubscriptionState = 'joined' | 'joining' | 'direct'
export type SessionInfo = {
  sessionId: string
  expiresAt: number
  subscriptions: { streamId: string; since: number; state: SubscriptionState }[]
}
export type Subscribed = {
  expiresAt: number
  isNewSession: boolean
  startOffset: Position | null
  /** Has too many listeners to be copied: to be read directly. */
  isDirect: boolean
}

/**
 * `start`: what the session's stream holds from here on came after it was assigned. `missing`: there are no such streams.
 * `direct`: those have too many listeners to be copied.
 */
export type Assigned = {
  expiresAt: number
  isNewSession: boolean
  start: Position
  missing: string[]
  direct: string[]
}

/** What a session listens to, and how long it lives: `<project>/<session>`. */
export interface SessionRpc extends Rpc.DurableObjectBranded {
  /** One stream is joined before the answer, several in the background. */
  subscribe(name: SessionName, streamIds: string[]): Promise<Subscribed | Refusal>
  unsubscribe(name: SessionName, streamIds: string[]): Promise<void>
  /** Exactly these from now on, all joined before the answer. An older version than the last one changes nothing. */
  assign(name: SessionName, version: number, streamIds: string[]): Promise<Assigned | Refusal>
  info(): Promise<SessionInfo | null>
  touch(): Promise<number | null>
  end(): Promise<boolean>
  /** Ends it if its time is over; true when it is gone. */
  sweep(): Promise<boolean>
}
