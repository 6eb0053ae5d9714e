// One stream. Everything that changes it runs here, one after the other: the decision is pure (core/), what follows from
// it is one transaction, and only then are readers told. Live readers hang on hibernatable sockets, so a quiet stream
// sleeps whoever reads it. What other objects must hear is written down as a duty first and repeated until it is done.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import { type AppendRequest, decideAppend, messagesOf } from './core/append.ts'
import { cutIntoChunks } from './core/chunks.ts'
import { DEFAULT_CONTENT_TYPE, isJson, isText, sameMediaType } from './core/content-type.ts'
import { type CreateRequest, conflictWith } from './core/create.ts'
import { type DeliveryHint, type DeliveryResult, judgeDelivery } from './core/delivery.ts'
import { endsAtMs, isOver, worthNoting } from './core/expiry.ts'
import type { Notice } from './core/notice.ts'
import type { OffsetRequest, Position } from './core/offset.ts'
import { collectPage, concatenate, joinPages, type Page } from './core/page.ts'
import type { ReadResult } from './core/read.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { splitObjectName } from './core/route.ts'
import { OVERSHOT, placeOfSubOffset } from './core/sub-offset.ts'
import { DUTY_RETRY_MS, FORK_CLAIM_MS, INLINE_NOTICE_BYTES, READ_PAGE_BYTES } from './core/tuning.ts'
import type { StreamsEnv } from './env.ts'
import { recordStart } from './figures.ts'
import type { Appended, ClaimedFork, Created, Description, ForkClaim, Joined, StreamRpc } from './rpc.ts'
import { type Duty, type StreamHead, StreamStorage } from './stream-storage.ts'

const NOT_FOUND = refuse(404, 'there is no such stream')
const GONE = refuse(410, 'this stream was deleted; only its forks still read it')

export class StreamObject extends DurableObject<StreamsEnv> implements StreamRpc {
  readonly #storage: StreamStorage
  #head: StreamHead | null
  /** The last use that is written down. */
  #notedMs: number
  #alarmMs: number | null = null
  /** Claims on sources whose fork is being made right now; they are not given back yet. */
  readonly #claiming = new Set<string>()

  constructor(ctx: DurableObjectState, env: StreamsEnv) {
    super(ctx, env)
    recordStart()
    this.#storage = new StreamStorage(ctx.storage.sql)
    this.#head = this.#storage.head()
    this.#notedMs = this.#head?.usedMs ?? 0
    // Answered without waking us: how the Workers with live readers know that their socket still reaches us.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  async create(name: string, request: CreateRequest, body: Uint8Array, unlisted: boolean): Promise<Created | Refusal> {
    const there = this.#existing(request)
    if (there !== null) return there
    const contentType = request.contentType ?? DEFAULT_CONTENT_TYPE
    const early = request.fork === null ? messagesOf(contentType, body) : null
    if (isRefusal(early)) return early
    const forkId = crypto.randomUUID()
    const claimed = request.fork === null ? null : await this.#claimSource(request, forkId)
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
      const inherits = claimed !== null && request.lifetime.kind === 'endless'
      const head: StreamHead = {
        name,
        incarnation: crypto.randomUUID().slice(0, 13),
        contentType: type,
        lifetime: inherits ? claimed.lifetime : request.lifetime,
        lifetimeInherited: inherits,
        isPublic: request.isPublic,
        usedMs: systemClock.now(),
        base,
        tail: base,
        closed: request.closed,
        closedBy: null,
        writerSeq: null,
        fork: null,
        deleted: false,
        unlisted,
      }
      if (claimed !== null && request.fork !== null)
        head.fork = { source: request.fork.source, forkId, anchor: claimed.anchor, subOffset: request.fork.subOffset }
      this.ctx.storage.transactionSync(() => {
        this.#store(head, messages)
        if (head.fork !== null) this.#storage.removeDuty({ kind: 'release', target: head.fork.source, detail: forkId })
      })
      this.#arm(endsAtMs(head.lifetime, head.usedMs))
      if (messages.length > 0) await this.#tellDirectory()
      return { ...describe(this.#head ?? head), created: true }
    } finally {
      this.#claiming.delete(forkId)
      await this.#doDuties()
    }
  }

  async append(request: AppendRequest): Promise<Appended | Refusal> {
    const head = this.#live()
    if (isRefusal(head)) return head
    const { stamp } = request
    const producer = stamp === null ? null : this.#storage.producer(stamp.id)
    const outcome = decideAppend({ ...head, producer }, request)
    if (isRefusal(outcome)) return outcome
    this.#use(head)
    if (outcome.outcome === 'repeated') {
      const echo = stamp === null ? null : { epoch: stamp.epoch, seq: outcome.producerSeq ?? stamp.seq }
      return { from: head.tail, tail: head.tail, closed: head.closed, fresh: false, producer: echo }
    }
    const from = head.tail
    const next: StreamHead = {
      ...head,
      usedMs: systemClock.now(),
      closed: outcome.close,
      closedBy: outcome.close ? stamp : null,
      writerSeq: request.writerSeq ?? head.writerSeq,
    }
    this.ctx.storage.transactionSync(() => {
      this.#store(next, outcome.messages)
      if (stamp !== null) this.#storage.putProducer(stamp)
    })
    const tail = this.#head?.tail ?? from
    this.#tell(appendedNotice(next, from, tail, outcome.messages))
    if (outcome.messages.length > 0) await this.#tellDirectory()
    const echo = stamp === null ? null : { epoch: stamp.epoch, seq: stamp.seq }
    return { from, tail, closed: next.closed, fresh: outcome.messages.length > 0, producer: echo }
  }

  async read(offset: OffsetRequest): Promise<ReadResult | Refusal> {
    const head = this.#live()
    if (isRefusal(head)) return head
    const from = offset.at === 'start' ? 0 : offset.at === 'now' ? head.tail : offset.position
    if (from > head.tail) return refuse(400, 'the offset is past the end of the stream')
    this.#use(head)
    const { contentType, incarnation, tail, closed, isPublic } = head
    const page = await this.#page(head, from, tail, READ_PAGE_BYTES)
    return { contentType, incarnation, from, ...page, tail, closed, isPublic }
  }

  async describe(): Promise<(Description & { readers: number }) | Refusal> {
    const head = this.#live()
    return isRefusal(head) ? head : { ...describe(head), readers: this.ctx.getWebSockets().length }
  }

  async remove(): Promise<Refusal | null> {
    const head = this.#live()
    if (isRefusal(head)) return head
    this.#end(head)
    await this.#doDuties()
    return null
  }

  /** A socket for a Worker that holds a live reader. */
  override async fetch(request: Request): Promise<Response> {
    const head = this.#live()
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
    this.#alarmMs = null
    const head = this.#head
    if (head !== null && !head.deleted) {
      if (isOver(head.lifetime, head.usedMs, systemClock.now())) this.#end(head)
      else this.#arm(endsAtMs(head.lifetime, head.usedMs))
    }
    await this.#doDuties()
  }

  // Between objects.

  async claimFork({ forkId, anchor, subOffset, contentType }: ForkClaim): Promise<ClaimedFork | Refusal> {
    const head = this.#live()
    if (isRefusal(head)) return head.status === 410 ? refuse(409, 'the source was deleted') : head
    if (contentType !== null && !sameMediaType(contentType, head.contentType))
      return refuse(409, `the source holds ${head.contentType}`)
    const at = anchor ?? head.tail
    if (at > head.tail) return refuse(400, 'Stream-Fork-Offset is past the end of the source')
    const base = await this.resolvePlace(at, subOffset, head.tail)
    if (isRefusal(base)) return base
    // It may have ended while we asked its own source.
    const still = this.#live()
    if (isRefusal(still)) return still
    this.#storage.addFork(forkId)
    return { base, anchor: at, contentType: head.contentType, lifetime: head.lifetime }
  }

  async releaseFork(forkId: string): Promise<void> {
    this.#storage.removeFork(forkId)
    if (this.#head?.deleted && !this.#storage.hasForks()) this.#end(this.#head)
    await this.#doDuties()
  }

  async inherited(from: Position, upTo: Position, maxBytes: number): Promise<Page> {
    const head = this.#head
    if (head === null) throw new Error('a fork reads from a source that is gone')
    return this.#page(head, from, upTo, maxBytes)
  }

  async range(from: Position, upTo: Position): Promise<Uint8Array | null> {
    const head = this.#head
    if (head === null) return null
    const { body, next } = await this.#page(head, from, upTo, READ_PAGE_BYTES)
    return next === upTo ? listBody(head.contentType, body) : null
  }

  async resolvePlace(anchor: Position, subOffset: number, limit: Position): Promise<Position | Refusal> {
    const head = this.#head
    if (subOffset === 0 || head === null) return head === null ? NOT_FOUND : anchor
    if (anchor >= Math.min(limit, head.tail)) return OVERSHOT
    if (anchor < head.base && head.fork !== null)
      return this.#stream(head.fork.source).resolvePlace(anchor, subOffset, Math.min(limit, head.base))
    const batchEnd = Math.min(this.#storage.batchEnd(anchor) ?? head.tail, limit)
    const json = isJson(head.contentType)
    const messageStarts = json ? this.#storage.messageStarts(anchor, batchEnd, subOffset) : []
    return placeOfSubOffset(anchor, subOffset, { json, batchEnd, messageStarts })
  }

  async watch(watched: boolean): Promise<Position | null> {
    this.#storage.setWatched(watched)
    const head = this.#live()
    return isRefusal(head) ? null : head.tail
  }

  // Copies of sources, for session streams (SUB-4).

  async join(source: string): Promise<Joined | Refusal> {
    const before = this.#live()
    if (isRefusal(before)) return before
    const from = await this.#stream(source).describe()
    const head = this.#live()
    if (isRefusal(from) || isRefusal(head)) return isRefusal(from) ? from : NOT_FOUND
    if (!sameMediaType(from.contentType, head.contentType))
      return refuse(409, `this session holds ${head.contentType}, the stream ${from.contentType}`)
    return { generation: this.#storage.joinSource(source, from.tail), start: from.tail }
  }

  async leave(source: string): Promise<void> {
    this.#storage.leaveSource(source)
  }

  async deliver(hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | Refusal> {
    while (true) {
      const head = this.#live()
      if (isRefusal(head)) return head
      if (head.closed) return refuse(409, 'the stream is closed')
      const step = judgeDelivery(
        this.#storage.sourceCursor(hint.source),
        carried === null ? { ...hint, prevOffset: null } : hint,
      )
      if (step.do === 'nothing') return step.result
      if (step.do === 'append')
        return this.#write(head, carried ?? new Uint8Array(), { source: hint.source, upTo: hint.offset })
      const page = await this.#stream(hint.source).inherited(step.from, hint.offset, READ_PAGE_BYTES)
      const now = this.#live()
      if (isRefusal(now)) return now
      // Another delivery may have been quicker while we read; then this page is not the next one any more.
      const cursor = this.#storage.sourceCursor(hint.source)
      if (cursor?.generation !== hint.generation || cursor.at !== step.from) continue
      if (page.next <= step.from) throw new Error('the source has nothing where its offset says')
      const copied = this.#write(now, listBody(now.contentType, page.body), { source: hint.source, upTo: page.next })
      if (page.next >= hint.offset || isRefusal(copied)) return copied
    }
  }

  async hand(body: Uint8Array): Promise<DeliveryResult | Refusal> {
    const head = this.#live()
    if (isRefusal(head)) return head
    return head.closed ? refuse(409, 'the stream is closed') : this.#write(head, body, null)
  }

  async lastUsedMs(): Promise<number | null> {
    const head = this.#live()
    return isRefusal(head) ? null : head.usedMs
  }

  async touch(): Promise<boolean> {
    const head = this.#live()
    if (isRefusal(head)) return false
    this.#use(head)
    return true
  }

  // Inside.

  /** Appends and moves the place of the source it came from, in one. Is no use: a session nobody reads must end. */
  #write(
    head: StreamHead,
    body: Uint8Array,
    from: { source: string; upTo: Position } | null,
  ): DeliveryResult | Refusal {
    const messages = messagesOf(head.contentType, body)
    if (isRefusal(messages)) return messages
    const start = head.tail
    this.ctx.storage.transactionSync(() => {
      this.#store(head, messages)
      if (from !== null) this.#storage.moveSource(from.source, from.upTo)
    })
    this.#tell(appendedNotice(head, start, this.#head?.tail ?? start, messages))
    return 'delivered'
  }

  /** The stream as everybody may use it; one whose time is up ends here, whether or not its alarm has rung. */
  #live(): StreamHead | Refusal {
    const head = this.#head
    if (head === null) return NOT_FOUND
    if (!head.deleted && isOver(head.lifetime, head.usedMs, systemClock.now())) {
      this.#end(head)
      this.ctx.waitUntil(this.#doDuties())
      return this.#head === null ? NOT_FOUND : GONE
    }
    return head.deleted ? GONE : head
  }

  #existing(request: CreateRequest): Created | Refusal | null {
    const head = this.#live()
    if (isRefusal(head)) return head.status === 410 ? refuse(409, 'a deleted stream holds this place') : null
    const conflict = conflictWith(head, request, DEFAULT_CONTENT_TYPE)
    if (conflict !== null) return conflict
    this.#use(head)
    return { ...describe(head), created: false }
  }

  /** Writes messages after the head's tail; the head that results is the stream's. */
  #store(head: StreamHead, messages: Uint8Array[]): void {
    let tail = head.tail
    for (const message of messages) {
      const start = tail
      for (const chunk of cutIntoChunks(message)) {
        this.#storage.putChunk(tail, start, head.tail, chunk)
        tail += chunk.length
      }
    }
    const stored = { ...head, tail }
    this.#storage.putHead(stored)
    this.#notedMs = stored.usedMs
    if (messages.length > 0 && !head.unlisted && this.#storage.isWatched())
      this.#storage.putDuty(appendedDuty(head.name, systemClock.now() + DUTY_RETRY_MS))
    this.#head = stored
  }

  /** A sliding life starts anew; kept in memory at once and written down seldom: a crash forgets a twentieth of it. */
  #use(head: StreamHead): void {
    head.usedMs = systemClock.now()
    if (!worthNoting(head.lifetime, this.#notedMs, head.usedMs)) return
    this.#notedMs = head.usedMs
    this.#storage.putHead(head)
  }

  async #page(head: StreamHead, from: Position, upTo: Position, maxBytes: number): Promise<Page> {
    const json = isJson(head.contentType)
    const own = (start: Position, bytes: number) =>
      collectPage(this.#storage.chunksFrom(start), { from: start, upTo, maxBytes: bytes, json })
    if (from >= head.base || head.fork === null) return own(from, maxBytes)
    const inheritedEnd = Math.min(head.base, upTo)
    const first = await this.#stream(head.fork.source).inherited(from, inheritedEnd, maxBytes)
    const left = maxBytes - first.body.length
    return first.next < inheritedEnd || left <= 0 ? first : joinPages(first, own(head.base, left), json)
  }

  async #claimSource({ fork, contentType }: CreateRequest, forkId: string): Promise<ClaimedFork | Refusal> {
    const source = fork?.source ?? ''
    // Written down before we ask: if we die in between, the alarm gives the claim back.
    this.#claiming.add(forkId)
    this.#storage.putDuty({ kind: 'release', target: source, detail: forkId, dueMs: systemClock.now() + FORK_CLAIM_MS })
    this.#arm(systemClock.now() + FORK_CLAIM_MS)
    const { anchor = null, subOffset = 0 } = fork ?? {}
    const claimed = await this.#stream(source).claimFork({ forkId, anchor, subOffset, contentType })
    if (!isRefusal(claimed)) return claimed
    this.#storage.removeDuty({ kind: 'release', target: source, detail: forkId })
    this.#claiming.delete(forkId)
    return claimed
  }

  async #enlist(name: string, base: Position): Promise<void> {
    const { project, id } = splitObjectName(name)
    if (await this.env.DIRECTORY_DO.getByName(project).enlist(project, id, base)) this.#storage.setWatched(true)
  }

  /** Ends the stream for everybody but its forks; without forks it is gone. */
  #end(head: StreamHead): void {
    this.ctx.storage.transactionSync(() => {
      if (this.#storage.hasForks()) {
        this.#head = { ...head, deleted: true }
        this.#storage.putHead(this.#head)
      } else {
        this.#head = null
        this.#storage.purge()
        const dueMs = systemClock.now()
        if (head.fork !== null)
          this.#storage.putDuty({ kind: 'release', target: head.fork.source, detail: head.fork.forkId, dueMs })
      }
      if (!head.unlisted && !head.deleted)
        this.#storage.putDuty({ kind: 'unlist', target: head.name, detail: '', dueMs: systemClock.now() })
    })
    this.#tell({ type: 'gone' })
    for (const socket of this.ctx.getWebSockets()) socket.close(1000, 'the stream ended')
  }

  #tell(notice: Notice): void {
    const text = JSON.stringify(notice)
    for (const socket of this.ctx.getWebSockets()) socket.send(text)
  }

  /** A watched stream answers its writer after the directory has heard; if that fails, the duty stays for the alarm. */
  async #tellDirectory(): Promise<void> {
    const head = this.#head
    if (head === null || head.unlisted || !this.#storage.isWatched()) return
    await this.#doDuty(appendedDuty(head.name, 0))
  }

  async #doDuties(): Promise<void> {
    const now = systemClock.now()
    for (const duty of this.#storage.duties()) {
      if (this.#claiming.has(duty.detail)) continue
      // A claim whose fork is not being made any more has no reason to stay.
      if (duty.dueMs <= now || duty.kind === 'release') await this.#doDuty(duty)
      else this.#arm(duty.dueMs)
    }
  }

  async #doDuty(duty: Duty): Promise<void> {
    const { project, id } = splitObjectName(duty.target)
    try {
      if (duty.kind === 'release') await this.#stream(duty.target).releaseFork(duty.detail)
      else if (duty.kind === 'unlist') {
        // Made again meanwhile: it belongs on the list.
        if (this.#head === null || this.#head.deleted)
          await this.env.DIRECTORY_DO.getByName(project).unlist(project, id)
      } else if (this.#head !== null)
        await this.env.DIRECTORY_DO.getByName(project).appended(project, id, this.#head.tail)
      this.#storage.removeDuty(duty)
    } catch (error) {
      console.warn(JSON.stringify({ message: 'duty postponed', kind: duty.kind, error: String(error) }))
      const dueMs = systemClock.now() + DUTY_RETRY_MS
      this.#storage.putDuty({ ...duty, dueMs })
      this.#arm(dueMs)
    }
  }

  /** There is one alarm: the earliest reason to wake. */
  #arm(atMs: number | null): void {
    if (atMs === null || (this.#alarmMs !== null && this.#alarmMs <= atMs)) return
    this.#alarmMs = atMs
    this.ctx.waitUntil(this.#setAlarm(atMs))
  }

  async #setAlarm(atMs: number): Promise<void> {
    // One from before we slept may be earlier.
    const known = await this.ctx.storage.getAlarm()
    if (known === null || known > atMs) await this.ctx.storage.setAlarm(atMs)
  }

  #stream(name: string): DurableObjectStub<StreamRpc> {
    return this.env.STREAM_DO.getByName(name)
  }
}

const describe = ({ contentType, tail, closed, lifetime }: StreamHead): Description => ({
  contentType,
  tail,
  closed,
  lifetime,
})

/** A page of JSON is the inside of a list. */
const listBody = (contentType: string, body: Uint8Array): Uint8Array =>
  isJson(contentType) ? concatenate([OPENING, body, CLOSING]) : body

const [OPENING, CLOSING] = [new TextEncoder().encode('['), new TextEncoder().encode(']')]

const appendedDuty = (name: string, dueMs: number): Duty => ({ kind: 'appended', target: name, detail: '', dueMs })

function appendedNotice(head: StreamHead, from: Position, to: Position, messages: Uint8Array[]): Notice {
  const notice = { type: 'appended', from, to, closed: head.closed } as const
  if (!isText(head.contentType) || to === from || to - from > INLINE_NOTICE_BYTES) return notice
  const comma = new TextEncoder().encode(',')
  const parts = isJson(head.contentType)
    ? messages.flatMap((part, at) => (at === 0 ? [part] : [comma, part]))
    : messages
  return { ...notice, text: new TextDecoder().decode(concatenate(parts)) }
}
