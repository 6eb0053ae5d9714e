// Who listens to one stream. A publish is intended in writing before the source is appended to, so that a crash in between
// is taken up by the alarm; then listeners are reached at once, through the queue, or later. Whoever was not reached is
// owed, and the alarm goes on until nobody is. The source's log is the truth: a listener pulls whatever it misses.
import { DurableObject } from 'cloudflare:workers'
import { systemClock, systemRandom } from '#shared/clock.ts'
import type { AppendRequest } from '../streams/core/append.ts'
import type { Position } from '../streams/core/offset.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import type { StreamName } from '../streams/core-service.ts'
import type { Appended } from '../streams/rpc.ts'
import {
  INTENT_RESUME_MS,
  MAX_CARRIED_BYTES,
  MAX_SUBSCRIBERS,
  QUEUE_GRACE_MS,
  REPAIR_CHUNK,
  REPAIR_RETRY_MS,
} from './constants.ts'
import { ask, type Breaker, CLOSED, record } from './core/breaker.ts'
import { type Listener, planFanout, queueBatches } from './core/plan.ts'
import { breakerRecoveryMs, queueThreshold, type SubscriptionsEnv } from './env.ts'
import { recordEvent } from './events.ts'
import { fanoutToSubscribers } from './fanout.ts'
import type { Fanout, FanoutOutcome, Published, SubscriptionRpc } from './rpc.ts'
import { SubscriptionStorage } from './subscription-storage.ts'

const NOBODY: Fanout = { count: 0, successes: 0, failures: 0, mode: 'inline' }

export class SubscriptionDO extends DurableObject<SubscriptionsEnv> implements SubscriptionRpc {
  readonly #storage: SubscriptionStorage
  /** Forgotten in sleep, as it should be: nothing depends on it but how soon a failing session is tried. */
  #breaker: Breaker = CLOSED
  #publishing = 0

  constructor(ctx: DurableObjectState, env: SubscriptionsEnv) {
    super(ctx, env)
    this.#storage = new SubscriptionStorage(ctx.storage.sql)
  }

  async publish(name: StreamName, request: AppendRequest): Promise<Published> {
    this.#remember(name)
    const startedMs = systemClock.now()
    // What an earlier publish left unfinished is part of this one's business.
    this.#storage.put('intent', this.#storage.get('intent') ?? String(startedMs))
    await this.#arm(startedMs + INTENT_RESUME_MS)
    this.#publishing++
    let appended: Appended | Refusal
    let fanout = NOBODY
    try {
      appended = await this.env.CORE.postStream(name, request)
      if (isRefusal(appended)) {
        recordEvent(this.env, { type: 'publish_error', streamId: name.id, detail: String(appended.status) })
        // It may be the repeat of one whose listeners were never reached.
        if (appended.status === 409 || appended.status === 412) await this.#resume(name)
      } else if (!appended.fresh) await this.#resume(name)
      else fanout = await this.#fanOut(name, request, appended)
    } finally {
      this.#publishing--
    }
    // Only now is it known that nothing is left over; an error above leaves the intent for the alarm.
    if (this.#publishing === 0) this.#storage.put('intent', null)
    const latencyMs = systemClock.now() - startedMs
    if (!isRefusal(appended))
      recordEvent(this.env, { type: 'publish', streamId: name.id, detail: fanout.mode, latencyMs })
    return { appended, fanout }
  }

  async addSubscriber(name: StreamName, listener: Listener, start: Position): Promise<Refusal | null> {
    this.#remember(name)
    if (this.#storage.count() >= MAX_SUBSCRIBERS) return refuse(429, 'this stream has too many listeners to be copied')
    const last = this.#last()
    this.#storage.add(listener, last > start ? last : null)
    if (last > start) await this.#arm(systemClock.now())
    return null
  }

  async removeSubscriber(sessionId: string): Promise<void> {
    this.#storage.remove(sessionId)
  }

  async settle({ delivered, stale, failed }: FanoutOutcome, offset: Position): Promise<void> {
    this.#storage.settle(delivered, offset)
    this.#storage.removeStale(stale)
    this.#storage.owe(failed, offset)
    if (failed.length > 0) await this.#armRepair()
  }

  override async alarm(): Promise<void> {
    const name = this.#name()
    if (name === null) return
    const intent = this.#storage.get('intent')
    if (intent !== null && this.#publishing === 0) {
      await this.#resume(name)
      this.#storage.put('intent', null)
    }
    await this.#repair(name)
    if (intent !== null && this.#publishing > 0) await this.#arm(systemClock.now() + INTENT_RESUME_MS)
  }

  async #fanOut(name: StreamName, request: AppendRequest, { from, tail }: Appended): Promise<Fanout> {
    this.#advance(tail)
    const listeners = this.#storage.listeners()
    const count = listeners.length
    const hasQueue = this.env.FANOUT_QUEUE !== undefined
    const mode = planFanout(count, hasQueue, () => this.#admits(), queueThreshold(this.env))
    if (mode === 'queued')
      return { count, successes: 0, failures: 0, mode: await this.#enqueue(name, from, tail, listeners) }
    if (mode !== 'inline') {
      this.#storage.oweAll(tail)
      await this.#armRepair()
      recordEvent(this.env, { type: 'fanout', streamId: name.id, detail: mode, count })
      return { count, successes: 0, failures: 0, mode }
    }
    if (count === 0) return NOBODY
    const carried = request.body.length <= MAX_CARRIED_BYTES ? request.body : null
    // Owed first: if we die on the way, the alarm knows whom to look after.
    this.#storage.oweAll(tail)
    const outcome = await this.#reach(name, listeners, { prevOffset: from, offset: tail, carried })
    const failures = outcome.failed.length
    recordEvent(this.env, { type: 'fanout', streamId: name.id, detail: mode, count, values: [failures] })
    return { count, successes: outcome.delivered.length, failures, mode }
  }

  async #enqueue(name: StreamName, prevOffset: Position, offset: Position, listeners: Listener[]) {
    this.#storage.oweAll(offset)
    const { project: projectId, id: streamId } = name
    try {
      for (const batch of queueBatches({ projectId, streamId, prevOffset, offset }, listeners))
        await this.env.FANOUT_QUEUE?.sendBatch(batch.map((body) => ({ body })))
      await this.#arm(systemClock.now() + QUEUE_GRACE_MS)
      recordEvent(this.env, { type: 'fanout_queued', streamId, count: listeners.length })
      return 'queued' as const
    } catch (error) {
      console.warn(JSON.stringify({ message: 'the queue took nothing', error: String(error) }))
      await this.#armRepair()
      return 'deferred' as const
    }
  }

  async #reach(
    source: StreamName,
    listeners: Listener[],
    range: { prevOffset: Position | null; offset: Position; carried: Uint8Array | null },
  ): Promise<FanoutOutcome> {
    const outcome = await fanoutToSubscribers(this.env.CORE, {
      ...{ source, listeners, ...range },
      onBatch: (result) => {
        this.#breaker = record(this.#breaker, result, systemClock.now(), breakerRecoveryMs(this.env))
        return this.#breaker.phase !== 'open'
      },
    })
    await this.settle(outcome, range.offset)
    return outcome
  }

  /** The source may have moved without its listeners: then everybody is owed, and whoever has it all knows that. */
  async #resume(name: StreamName): Promise<void> {
    const head = await this.env.CORE.headStream(name)
    if (isRefusal(head) || head.tail <= this.#last()) return
    this.#advance(head.tail)
    this.#storage.oweAll(head.tail)
    await this.#arm(systemClock.now())
  }

  async #repair(name: StreamName): Promise<void> {
    const owed = this.#storage.owed(REPAIR_CHUNK)
    if (owed.length === 0) return
    if (!this.#admits()) return this.#armRepair()
    const startedMs = systemClock.now()
    const last = this.#last()
    const head = await this.env.CORE.headStream(name)
    const offset = isRefusal(head) ? 0 : head.tail
    // A source that was deleted owes nothing, one that was made anew begins again; unless a publish came meanwhile.
    if (offset < last && this.#last() === last) {
      this.#storage.put('last', String(offset))
      this.#storage.oweAtMost(offset)
    }
    const outcome = await this.#reach(name, owed, { prevOffset: null, offset, carried: null })
    const values = [outcome.failed.length]
    const latencyMs = systemClock.now() - startedMs
    recordEvent(this.env, { type: 'fanout_repair', streamId: name.id, count: owed.length, latencyMs, values })
    if (this.#storage.owed(1).length === 0) return
    if (outcome.failed.length === 0) await this.#arm(systemClock.now())
    else await this.#armRepair()
  }

  #admits(): boolean {
    const { breaker, admitted } = ask(this.#breaker, systemClock.now())
    this.#breaker = breaker
    return admitted
  }

  /** Spread out, so that topics that failed together do not come back together. */
  async #armRepair(): Promise<void> {
    const now = systemClock.now()
    const earliest = this.#breaker.phase === 'open' ? this.#breaker.untilMs : now + REPAIR_RETRY_MS
    await this.#arm(earliest + Math.round(REPAIR_RETRY_MS * systemRandom()))
  }

  async #arm(atMs: number): Promise<void> {
    const known = await this.ctx.storage.getAlarm()
    if (known === null || known > atMs) await this.ctx.storage.setAlarm(atMs)
  }

  #last(): Position {
    return Number(this.#storage.get('last') ?? 0)
  }

  #advance(tail: Position): void {
    if (tail > this.#last()) this.#storage.put('last', String(tail))
  }

  /** An alarm does not tell us our name. */
  #remember({ project, id }: StreamName): void {
    if (this.#storage.get('stream') !== null) return
    this.#storage.put('project', project)
    this.#storage.put('stream', id)
  }

  #name(): StreamName | null {
    const [project, id] = [this.#storage.get('project'), this.#storage.get('stream')]
    return project === null || id === null ? null : { project, id }
  }
}
