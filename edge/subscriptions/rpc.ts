// What the two kinds of objects may be asked.
import type { AppendRequest } from '../streams/core/append.ts'
import type { Position } from '../streams/core/offset.ts'
import type { Refusal } from '../streams/core/refusal.ts'
import type { StreamName } from '../streams/core-service.ts'
import type { Appended } from '../streams/rpc.ts'
import type { FanoutMode, Listener } from './core/plan.ts'

export type Fanout = { count: number; successes: number; failures: number; mode: FanoutMode }
export type Published = { appended: Appended | Refusal; fanout: Fanout }
export type FanoutOutcome = { delivered: Listener[]; stale: Listener[]; failed: Listener[] }

/** Who listens to a stream: `<project>/<stream>`. */
export interface SubscriptionRpc extends Rpc.DurableObjectBranded {
  publish(name: StreamName, request: AppendRequest): Promise<Published>
  /** `start` is where the session's copy begins; whatever came after it is owed at once. */
  addSubscriber(name: StreamName, listener: Listener, start: Position): Promise<Refusal | null>
  removeSubscriber(sessionId: string): Promise<void>
  /** What became of listeners that were reached through the queue. */
  settle(outcome: FanoutOutcome, offset: Position): Promise<void>
}

export type SessionName = { project: string; sessionId: string }
export type SessionInfo = { sessionId: string; expiresAt: number; subscriptions: { streamId: string; since: number }[] }
export type Subscribed = { expiresAt: number; isNewSession: boolean; startOffset: Position | null }

/** `start`: what the session's stream holds from here on came after it was assigned. `missing`: there are no such streams. */
export type Assigned = { expiresAt: number; isNewSession: boolean; start: Position; missing: string[] }

/** What a session listens to, and how long it lives: `<project>/<session>`. */
export interface SessionRpc extends Rpc.DurableObjectBranded {
  /** One stream is joined before the answer, several in the background. */
  subscribe(name: SessionName, streamIds: string[]): Promise<Subscribed | Refusal>
  unsubscribe(name: SessionName, streamId: string): Promise<void>
  /** Exactly these from now on, all joined before the answer. An older version than the last one changes nothing. */
  assign(name: SessionName, version: number, streamIds: string[]): Promise<Assigned | Refusal>
  info(): Promise<SessionInfo | null>
  touch(): Promise<number | null>
  end(): Promise<boolean>
  /** Ends it if its time is over; true when it is gone. */
  sweep(): Promise<boolean>
}
