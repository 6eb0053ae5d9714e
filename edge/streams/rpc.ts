// What the objects of the streams Worker may be asked, by the Worker and by each other.
import type { AppendRequest } from './core/append.ts'
import type { CreateRequest } from './core/create.ts'
import type { DeliveryHint, DeliveryResult } from './core/delivery.ts'
import type { Lifetime } from './core/expiry.ts'
import type { OffsetRequest, Position } from './core/offset.ts'
import type { Page } from './core/page.ts'
import type { ReadResult } from './core/read.ts'
import type { Refusal } from './core/refusal.ts'
import type { SubscriptionConfig } from './core/subscription.ts'
import type { PublicKey } from './directory-keys.ts'
import type { Subscription } from './directory-storage.ts'

export type Description = {
  contentType: string
  incarnation: string
  tail: Position
  closed: boolean
  lifetime: Lifetime
}
export type Created = Description & { created: boolean }
export type ProducerEcho = { epoch: number; seq: number }
export type Appended = {
  incarnation: string
  from: Position
  tail: Position
  closed: boolean
  fresh: boolean
  producer: ProducerEcho | null
}
export type ForkClaim = { forkId: string; anchor: Position | null; subOffset: number; contentType: string | null }
export type ClaimedFork = { base: Position; anchor: Position; contentType: string; lifetime: Lifetime }

export interface StreamRpc extends Rpc.DurableObjectBranded {
  create(name: string, request: CreateRequest, body: Uint8Array, unlisted: boolean): Promise<Created | Refusal>
  append(request: AppendRequest): Promise<Appended | Refusal>
  read(offset: OffsetRequest): Promise<ReadResult | Refusal>
  describe(): Promise<(Description & { readers: number }) | Refusal>
  remove(): Promise<Refusal | null>
  claimFork(claim: ForkClaim): Promise<ClaimedFork | Refusal>
  releaseFork(forkId: string): Promise<void>
  /** Also of a stream that is deleted for everybody else. */
  inherited(from: Position, upTo: Position, maxBytes: number): Promise<Page>
  /** What lies in between, up to a page, as a body to append; null when that stream is no more. */
  range(incarnation: string, from: Position, upTo: Position): Promise<Page | null>
  resolvePlace(anchor: Position, subOffset: number, limit: Position): Promise<Position | Refusal>
  /** From now on the project's directory hears of appends, or no longer does. Answers the end, or null without a stream. */
  watch(watched: boolean): Promise<Position | null>
  /** The session's copy of a source begins at the source's end, as a new generation. */
  join(source: string): Promise<Joined | Refusal>
  /** Nothing more of this source is copied, whatever is on its way. */
  leave(source: string): Promise<void>
  deliver(hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | Refusal>
  /** For this session alone, from no source. */
  hand(body: Uint8Array): Promise<DeliveryResult | Refusal>
  /** Pulls what its sources have and no delivery brought, for so many of them, in turns. */
  catchUp(limit: number): Promise<void>
  /** When somebody last read it or kept it alive; null without a stream. */
  lastUsedMs(): Promise<number | null>
  touch(): Promise<boolean>
}

export type Joined = { generation: number; incarnation: string; start: Position }

export type LinkView = { path: string; link_type: 'explicit' | 'glob'; acked_offset: string }
export type LinkState = LinkView & { tail_offset: string; has_pending: boolean }
export type SubscriptionView = { subscription: Subscription; links: LinkView[]; key: PublicKey }
export type ControlError = {
  code: string
  status: number
  current_holder?: string
  generation?: number
  stream?: string
}
export type Settle = { wakeId: string; generation: number; acks: { stream: string; offset: string }[]; done: boolean }
export type Claimed = { wake_id: string; generation: number; token: string; streams: LinkState[]; lease_ttl_ms: number }
export type Settled = { ok: true; next_wake: boolean }

export interface DirectoryRpc extends Rpc.DurableObjectBranded {
  /** Answers whether a subscription covers the stream. */
  enlist(project: string, id: string, base: Position): Promise<boolean>
  unlist(project: string, id: string): Promise<void>
  appended(project: string, id: string, tail: Position): Promise<void>
  noteBeat(atMs: number): Promise<void>
  beatAtMs(): Promise<number | null>
  publicKey(): Promise<PublicKey>
  subscribe(
    project: string,
    id: string,
    config: SubscriptionConfig,
    root: string,
  ): Promise<(SubscriptionView & { created: boolean }) | ControlError>
  subscription(id: string): Promise<SubscriptionView | null>
  unsubscribe(id: string): Promise<void>
  addStreams(id: string, streams: string[]): Promise<ControlError | null>
  removeStream(id: string, stream: string): Promise<ControlError | null>
  claim(id: string, worker: string): Promise<Claimed | ControlError>
  /** Acknowledges, keeps the lease, and with `done` gives it back; for webhooks' callbacks and workers' acks. */
  settle(id: string, token: string, settle: Settle): Promise<Settled | ControlError>
  release(id: string, token: string, wakeId: string, generation: number): Promise<ControlError | null>
}
