// One stream. Everything that changes it runs here, one after the other: the decision is pure (core/), what follows from
// it is one transaction, and only then are readers told. Live readers hang on hibernatable sockets, so a quiet stream
// sleeps whoever reads it. The stream itself is in stream-state.ts; forks and copies have parts of their own.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import { type AppendRequest, decideAppend, messagesOf } from './core/append.ts'
import { DEFAULT_CONTENT_TYPE } from './core/content-type.ts'
import { type CreateRequest, conflictWith } from './core/create.ts'
import type { DeliveryHint, DeliveryResult } from './core/delivery.ts'
import { isOver } from './core/expiry.ts'
import type { OffsetRequest, Position } from './core/offset.ts'
import type { Page } from './core/page.ts'
import type { ReadResult } from './core/read.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { splitObjectName } from './core/route.ts'
import { READ_PAGE_BYTES } from './core/tuning.ts'
import type { StreamsEnv } from './env.ts'
import { recordStart } from './figures.ts'
import type { Appended, ClaimedFork, Created, Description, ForkClaim, Joined, StreamRpc } from './rpc.ts'
import { StreamCopies } from './stream-copies.ts'
import { StreamForks } from './stream-forks.ts'
import { StreamState } from './stream-state.ts'
import type { StreamHead } from './stream-storage.ts'

export class StreamObject extends DurableObject<StreamsEnv> implements StreamRpc {
  readonly #state: StreamState
  readonly #forks: StreamForks
  readonly #copies: StreamCopies

  constructor(ctx: DurableObjectState, env: StreamsEnv) {
    super(ctx, env)
    recordStart()
    this.#state = new StreamState(ctx, env)
    this.#forks = new StreamForks(this.#state)
    this.#copies = new StreamCopies(this.#state)
    // Answered without waking us: how the Workers with live readers know that their socket still reaches us.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  async create(name: string, request: CreateRequest, body: Uint8Array, unlisted: boolean): Promise<Created | Refusal> {
    const there = this.#existing(request)
    if (there !== null) return there
    const contentType = request.contentType ?? DEFAULT_CONTENT_TYPE
    const early = request.fork === null ? messagesOf(contentType, body) : null
    if (isRefusal(early)) return early
    const { duties } = this.#state
    const forkId = crypto.randomUUID()
    const claimed = request.fork === null ? null : await this.#forks.claimSource(request, forkId)
    if (isRefusal(claimed)) return claimed
    try {
      const type = claimed?.contentType ?? contentType
      const messages = early ?? messagesOf(type, body)
      if (isRefusal(messages)) return messages
      const base = claimed?.base ?? 0
      if (!unlisted) await this.#enlist(name, base)
      // Somebody else may have made it while we asked the others.
      const raced = this.#existing(request)
      if (raced !== null) return raced
      const { source, subOffset } = request.fork ?? { source: '', subOffset: 0 }
      const fork = claimed === null ? null : { source, forkId, anchor: claimed.anchor, subOffset }
      const inherited = request.lifetime.kind === 'endless' ? (claimed?.lifetime ?? null) : null
      const head: StreamHead = {
        ...{ name, base, tail: base, fork, unlisted, contentType: type, isPublic: request.isPublic },
        incarnation: crypto.randomUUID().slice(0, 13),
        lifetime: inherited ?? request.lifetime,
        lifetimeInherited: inherited !== null,
        usedMs: systemClock.now(),
        ...{ closed: request.closed, closedBy: null, writerSeq: null, deleted: false },
      }
      const made = this.#state.append(head, messages, () => {
        if (fork !== null) duties.forgetClaim(fork.source, forkId)
      })
      this.#state.armEnding(made)
      if (messages.length > 0) await duties.tellDirectory()
      return { ...describe(made), created: true }
    } finally {
      duties.endClaim(forkId)
      await duties.perform()
    }
  }

  async append(request: AppendRequest): Promise<Appended | Refusal> {
    const head = this.#state.live()
    if (isRefusal(head)) return head
    const { storage, duties } = this.#state
    const { stamp } = request
    const producer = stamp === null ? null : storage.producer(stamp.id)
    const outcome = decideAppend({ ...head, producer }, request)
    if (isRefusal(outcome)) return outcome
    this.#state.use(head)
    const { incarnation, tail: from } = head
    if (outcome.outcome === 'repeated') {
      const echo = stamp === null ? null : { epoch: stamp.epoch, seq: outcome.producerSeq ?? stamp.seq }
      return { incarnation, from, tail: from, closed: head.closed, fresh: false, producer: echo }
    }
    const next: StreamHead = {
      ...head,
      closed: outcome.close,
      closedBy: outcome.close ? stamp : null,
      writerSeq: request.writerSeq ?? head.writerSeq,
    }
    const { tail, closed } = this.#state.append(next, outcome.messages, () => {
      if (stamp !== null) storage.putProducer(stamp)
    })
    if (outcome.messages.length > 0) await duties.tellDirectory()
    const echo = stamp === null ? null : { epoch: stamp.epoch, seq: stamp.seq }
    return { incarnation, from, tail, closed, fresh: outcome.messages.length > 0, producer: echo }
  }

  async read(offset: OffsetRequest): Promise<ReadResult | Refusal> {
    const head = this.#state.live()
    if (isRefusal(head)) return head
    const from = offset.at === 'start' ? 0 : offset.at === 'now' ? head.tail : offset.position
    if (from > head.tail) return refuse(400, 'the offset is past the end of the stream')
    this.#state.use(head)
    const { contentType, incarnation, tail, closed, isPublic } = head
    const page = await this.#state.page(head, from, tail, READ_PAGE_BYTES)
    return { contentType, incarnation, from, ...page, tail, closed, isPublic }
  }

  async describe(): Promise<(Description & { readers: number }) | Refusal> {
    const head = this.#state.live()
    return isRefusal(head) ? head : { ...describe(head), readers: this.ctx.getWebSockets().length }
  }

  async remove(): Promise<Refusal | null> {
    const head = this.#state.live()
    if (isRefusal(head)) return head
    this.#state.end(head)
    await this.#state.duties.perform()
    return null
  }

  async lastUsedMs(): Promise<number | null> {
    const head = this.#state.live()
    return isRefusal(head) ? null : head.usedMs
  }

  async touch(): Promise<boolean> {
    const head = this.#state.live()
    if (isRefusal(head)) return false
    this.#state.use(head)
    return true
  }

  async watch(watched: boolean): Promise<Position | null> {
    this.#state.storage.setWatched(watched)
    const head = this.#state.live()
    return isRefusal(head) ? null : head.tail
  }

  /** A socket for a Worker that holds a live reader. */
  override async fetch(request: Request): Promise<Response> {
    const head = this.#state.live()
    if (isRefusal(head)) return new Response(head.reason, { status: head.status })
    if (request.headers.get('Upgrade') !== 'websocket') return new Response('a socket is needed', { status: 426 })
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.ctx.acceptWebSocket(ours)
    return new Response(null, { status: 101, webSocket: theirs })
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close()
  }

  override async alarm(): Promise<void> {
    const { head, duties } = this.#state
    duties.alarmRang()
    if (head !== null && !head.deleted) {
      if (isOver(head.lifetime, head.usedMs, systemClock.now())) this.#state.end(head)
      else this.#state.armEnding(head)
    }
    await duties.perform()
  }

  // Between objects: forks.

  claimFork(claim: ForkClaim): Promise<ClaimedFork | Refusal> {
    return this.#forks.claim(claim)
  }

  releaseFork(forkId: string): Promise<void> {
    return this.#forks.release(forkId)
  }

  inherited(from: Position, upTo: Position, maxBytes: number): Promise<Page> {
    return this.#forks.inherited(from, upTo, maxBytes)
  }

  resolvePlace(anchor: Position, subOffset: number, limit: Position): Promise<Position | Refusal> {
    return this.#forks.resolvePlace(anchor, subOffset, limit)
  }

  // Between objects: copies.

  range(incarnation: string, from: Position, upTo: Position): Promise<Page | null> {
    return this.#copies.range(incarnation, from, upTo)
  }

  join(source: string): Promise<Joined | Refusal> {
    return this.#copies.join(source)
  }

  async leave(source: string): Promise<void> {
    this.#copies.leave(source)
  }

  deliver(hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | Refusal> {
    return this.#copies.deliver(hint, carried)
  }

  async hand(body: Uint8Array): Promise<DeliveryResult | Refusal> {
    return this.#copies.hand(body)
  }

  catchUp(limit: number): Promise<void> {
    return this.#copies.catchUp(limit)
  }

  #existing(request: CreateRequest): Created | Refusal | null {
    const head = this.#state.live()
    if (isRefusal(head)) return head.status === 410 ? refuse(409, 'a deleted stream holds this place') : null
    const conflict = conflictWith(head, request, DEFAULT_CONTENT_TYPE)
    if (conflict !== null) return conflict
    this.#state.use(head)
    return { ...describe(head), created: false }
  }

  async #enlist(name: string, base: Position): Promise<void> {
    const { project, id } = splitObjectName(name)
    if (await this.env.DIRECTORY_DO.getByName(project).enlist(project, id, base)) this.#state.storage.setWatched(true)
  }
}

const describe = ({ contentType, incarnation, tail, closed, lifetime }: StreamHead): Description => ({
  ...{ contentType, incarnation, tail, closed, lifetime },
})
