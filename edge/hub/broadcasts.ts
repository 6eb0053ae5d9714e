// A message to everybody. The shard that was asked coordinates: it orders all shards, adds up what they report and tells the
// sender. Each shard sends the first slice at once, writes down the others, and lets other work in between two of them; what
// an eviction interrupts is resumed by alarm. Many recipients go through the queue, with the alarm behind it.
import { EVERYBODY } from '#shared/hub/address.ts'
import { createMessage, type SharedMessage } from '#shared/hub/message.ts'
import type { AnswerPayload, RequestPayload } from '#shared/hub/protocol.ts'
import { TTL_MS } from '#shared/hub/tuning.ts'
import { type Batch, BroadcastStorage, type Waiting } from './broadcast-storage.ts'
import type { Connection } from './connections.ts'
import { addCounts, type BroadcastCounts, type BroadcastJob, broadcastKey, NO_COUNTS } from './core/broadcast.ts'
import type { Rights } from './core/rights.ts'
import { liveShards } from './core/ring.ts'
import { BROADCAST_MAX_MS, BROADCAST_QUEUE_GRACE_MS, BROADCAST_RESUME_MS, BROADCAST_SLICE } from './core/tuning.ts'
import { queueAbove } from './env.ts'
import type { Answers } from './refusals.ts'
import type { BroadcastOrder } from './rpc.ts'
import type { Sends } from './sends.ts'
import { type Shard, warn, withinTime } from './shard.ts'

/** The platform's limit for one `sendBatch`. */
const QUEUE_MAX_MESSAGES = 100

export class Broadcasts {
  readonly #shard: Shard
  readonly #answers: Answers
  readonly #sends: Sends
  readonly #storage: BroadcastStorage
  readonly #running = new Set<string>()
  /** By the queue until this moment, after that by ourselves. */
  readonly #queuedUntil = new Map<string, number>()

  constructor(shard: Shard, answers: Answers, sends: Sends) {
    this.#shard = shard
    this.#answers = answers
    this.#sends = sends
    this.#storage = new BroadcastStorage(shard.ctx.storage.sql)
  }

  async begin(
    from: Connection,
    asked: SharedMessage,
    wish: RequestPayload<'hub:broadcast'>,
    rights: Rights,
  ): Promise<void> {
    if (!rights.broadcast)
      return this.#answers.unauthorized(from, asked, 'broadcast', 'The token does not allow broadcasts.')
    const counts = await this.coordinate(
      orderOf(asked, from.actor, {
        content: wish.message,
        capability: wish.targetCapability ?? null,
        excludeSender: wish.excludeSelf,
        coordinator: this.#shard.name,
        now: this.#shard.now(),
      }),
    )
    this.#answers.give(from, asked, 'hub:broadcast_ack', answerOf(asked.id, counts))
    this.#finishTotals(broadcastKey(from.actor, asked.id))
  }

  /** What the first slices of all shards came to; repeated, what is known by now. */
  async coordinate(order: BroadcastOrder): Promise<BroadcastCounts> {
    const key = broadcastKey(order.sender, order.messageId)
    const known = this.#storage.totals(key)
    if (known !== null) return { ...NO_COUNTS, delivered: known.delivered, failed: known.failed }
    const shards = liveShards(this.#shard.identity.view)
    const waiting: Waiting = Object.fromEntries(shards.map((shard) => [shard, 'asked']))
    this.#storage.putTotals(key, { order, waiting, delivered: 0, failed: 0 })
    this.#shard.arm(this.#shard.now() + BROADCAST_RESUME_MS)
    this.#shard.counters.count('signal_hub_broadcasts_total')
    const answers = await Promise.all(shards.map((shard) => this.#order(key, order, shard)))
    return answers.reduce(addCounts, NO_COUNTS)
  }

  /** At every shard, once a message. */
  take(order: BroadcastOrder): BroadcastCounts {
    const key = broadcastKey(order.sender, order.messageId)
    const known = this.#storage.get(key)
    if (known !== null) return this.#storage.batch(key, null) === null ? { ...known.counts, queued: 0 } : known.counts
    const recipients = [...this.#shard.registry.values()].filter(({ actorAddress }) =>
      this.#isMeant(order, actorAddress),
    )
    const first = this.#deliver(
      order,
      recipients.slice(0, BROADCAST_SLICE).map(({ actorAddress }) => actorAddress),
    )
    const rest = recipients.slice(BROADCAST_SLICE)
    if (rest.length === 0) return first
    const batches = Array.from({ length: Math.ceil(rest.length / BROADCAST_SLICE) }, (_, batch): Batch => {
      const slice = rest.slice(batch * BROADCAST_SLICE, (batch + 1) * BROADCAST_SLICE)
      return { batch, fromRow: slice[0]!.row, toRow: slice.at(-1)!.row }
    })
    const counts = { ...first, queued: rest.length }
    this.#storage.put(key, { order, counts, totalBatches: batches.length }, batches)
    this.#shard.arm(this.#shard.now() + BROADCAST_RESUME_MS)
    if (recipients.length > queueAbove(this.#shard.env) && this.#shard.env.BROADCAST_QUEUE !== undefined) {
      this.#queuedUntil.set(key, this.#shard.now() + BROADCAST_QUEUE_GRACE_MS)
      this.#shard.ctx.waitUntil(this.#enqueue(key, batches))
    } else this.#shard.ctx.waitUntil(this.#run(key))
    return counts
  }

  /** One slice, by us or from the queue: whoever comes second finds nothing to do. */
  async runBatch(key: string, wanted: number | null): Promise<boolean> {
    const local = this.#storage.get(key)
    const batch = local === null ? null : this.#storage.batch(key, wanted)
    if (local === null || batch === null) return false
    const actors = this.#storage
      .actorsBetween(batch.fromRow, batch.toRow)
      .filter((actor) => this.#isMeant(local.order, actor))
    const counts =
      local.order.expiresAt < this.#shard.now()
        ? { delivered: 0, failed: actors.length }
        : this.#deliver(local.order, actors)
    this.#storage.finishBatch(key, batch.batch, counts)
    if (this.#storage.batch(key, null) === null) await this.#finishLocal(key)
    return true
  }

  /** A shard has finished, or tells how far it is. */
  settle(key: string, shard: string, counts: BroadcastCounts): void {
    this.#report(key, shard, counts)
    this.#finishTotals(key)
  }

  #report(key: string, shard: string, { delivered, failed, queued }: BroadcastCounts): void {
    const totals = this.#storage.totals(key)
    if (totals === null || !(shard in totals.waiting)) return
    if (queued > 0) totals.waiting[shard] = 'working'
    else {
      delete totals.waiting[shard]
      totals.delivered += delivered
      totals.failed += failed
      this.#shard.counters.count('signal_hub_broadcast_failures_total', '', failed)
    }
    this.#storage.putTotals(key, totals)
  }

  /** By alarm: what was interrupted, what the queue did not bring, whom we could not ask. */
  async resume(): Promise<void> {
    const now = this.#shard.now()
    for (const key of this.#storage.keys()) if ((this.#queuedUntil.get(key) ?? 0) <= now) await this.#run(key)
    for (const key of this.#storage.totalsKeys()) {
      const totals = this.#storage.totals(key)
      if (totals === null) continue
      const open = Object.keys(totals.waiting)
      if (totals.order.expiresAt < now) for (const shard of open) this.#report(key, shard, NO_COUNTS)
      else await Promise.all(open.map((shard) => this.#order(key, totals.order, shard)))
      this.#finishTotals(key)
    }
    if (this.isBusy()) this.#shard.arm(now + BROADCAST_RESUME_MS)
  }

  isBusy(): boolean {
    return this.#storage.keys().length > 0 || this.#storage.totalsKeys().length > 0
  }

  queueDepth(): number {
    return this.#storage.queueDepth()
  }

  /** An actor is about to leave this shard: what it would have got here, it gets now. */
  hurry(actor: string, row: number): void {
    for (const key of this.#storage.keys()) {
      const order = this.#storage.get(key)?.order
      const waits = this.#storage.batches(key).some(({ fromRow, toRow }) => fromRow <= row && row <= toRow)
      if (order !== undefined && waits && this.#isMeant(order, actor)) this.#deliver(order, [actor])
    }
  }

  async #order(key: string, order: BroadcastOrder, shard: string): Promise<BroadcastCounts> {
    try {
      const counts =
        shard === this.#shard.name
          ? this.take(order)
          : await withinTime(this.#shard.peer(shard).takeBroadcast(this.#shard.callTo(shard), order))
      this.#report(key, shard, counts)
      return counts
    } catch (error) {
      warn('a shard did not take a broadcast', { shard, error: String(error) })
      return NO_COUNTS
    }
  }

  async #run(key: string): Promise<void> {
    if (this.#running.has(key)) return
    this.#running.add(key)
    try {
      // Others get their turn between two slices.
      while (await this.runBatch(key, null)) await scheduler.wait(0)
    } finally {
      this.#running.delete(key)
    }
  }

  async #enqueue(key: string, batches: Batch[]): Promise<void> {
    const { project } = this.#shard.identity
    const jobs = batches.map(
      ({ batch }): BroadcastJob => ({
        ...{ project, shard: this.#shard.name, key, batchIndex: batch, totalBatches: batches.length },
      }),
    )
    try {
      for (let at = 0; at < jobs.length; at += QUEUE_MAX_MESSAGES)
        await this.#shard.env.BROADCAST_QUEUE?.sendBatch(
          jobs.slice(at, at + QUEUE_MAX_MESSAGES).map((body) => ({ body })),
        )
    } catch (error) {
      warn('the queue took nothing', { error: String(error) })
      this.#queuedUntil.delete(key)
      await this.#run(key)
    }
  }

  #deliver(order: BroadcastOrder, actors: string[]): BroadcastCounts {
    let delivered = 0
    for (const actor of actors) {
      const connectionId = this.#shard.connectionOf(actor)
      if (connectionId !== null && this.#shard.connections.send(connectionId, order.frame)) delivered += 1
    }
    return { delivered, queued: 0, failed: actors.length - delivered }
  }

  #isMeant({ capability, excludeSender, sender }: BroadcastOrder, actor: string): boolean {
    const found = this.#shard.registry.get(actor, this.#shard.now())
    if (found === null || (excludeSender && actor === sender)) return false
    return capability === null || found.capabilities.includes(capability)
  }

  async #finishLocal(key: string): Promise<void> {
    const local = this.#storage.get(key)
    if (local === null) return
    const { order } = local
    const counts = { ...local.counts, queued: 0 }
    const { coordinator } = order
    try {
      if (coordinator === this.#shard.name) this.settle(key, coordinator, counts)
      else {
        const call = this.#shard.callTo(coordinator)
        await withinTime(this.#shard.peer(coordinator).reportBroadcast(call, key, this.#shard.name, counts))
      }
      this.#storage.remove(key)
      this.#queuedUntil.delete(key)
    } catch (error) {
      // The row stays without slices; the coordinator asks again and then gets these counts.
      warn('a broadcast was not reported', { shard: coordinator, error: String(error) })
      if (order.expiresAt < this.#shard.now()) this.#storage.remove(key)
    }
  }

  #finishTotals(key: string): void {
    const totals = this.#storage.totals(key)
    if (totals === null || Object.keys(totals.waiting).length > 0) return
    this.#storage.removeTotals(key)
    const { order, delivered, failed } = totals
    this.#shard.counters.observeBroadcast((this.#shard.now() - order.startedAt) / 1_000)
    const answer = answerOf(order.messageId, { delivered, failed, queued: 0 })
    void this.#sends.notifyAnywhere(order.sender, 'hub:broadcast_done', answer)
  }
}

type OrderWish = {
  content: { type: string; payload?: unknown }
  capability: string | null
  excludeSender: boolean
  coordinator: string
  now: number
}

export function orderOf(
  {
    id,
    timestamp,
    ttl,
    metadata,
    signature,
  }: Pick<SharedMessage, 'id' | 'timestamp' | 'ttl' | 'metadata' | 'signature'>,
  sender: string,
  { content, capability, excludeSender, coordinator, now }: OrderWish,
): BroadcastOrder {
  const lifeMs = ttl ?? TTL_MS.broadcast
  const message = createMessage({
    ...{ id, from: sender, to: EVERYBODY, type: content.type, payload: content.payload },
    ...{ timestamp, ttl: lifeMs, metadata, signature },
  })
  return {
    ...{ messageId: id, sender, frame: JSON.stringify(message), capability, excludeSender, coordinator },
    ...{ startedAt: now, expiresAt: Math.min(timestamp + lifeMs, now + BROADCAST_MAX_MS) },
  }
}

const answerOf = (
  messageId: string,
  { delivered, queued, failed }: BroadcastCounts,
): AnswerPayload<'hub:broadcast_ack'> => ({
  ...{ messageId, deliveredCount: delivered, queuedCount: queued, failedCount: failed },
})
