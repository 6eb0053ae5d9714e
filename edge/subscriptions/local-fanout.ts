// Brings what a source has to the listeners of one object: at once, through the queue, or later. Whoever was not reached is
// behind in storage, and stays so until the repair has brought it everything. The source's log is the truth: a listener
// pulls whatever it misses.
import { systemClock, systemRandom } from '#shared/clock.ts'
import type { Position } from '../streams/core/offset.ts'
import { isRefusal } from '../streams/core/refusal.ts'
import type { StreamName } from '../streams/core-service.ts'
import { MAX_CARRIED_BYTES, REPAIR_CHUNK } from './constants.ts'
import { ask, type Breaker, CLOSED, record } from './core/breaker.ts'
import { type Fanout, type Listener, NOBODY, planFanout, queueBatches } from './core/plan.ts'
import { breakerRecoveryMs, queueThreshold, repairTimes, type SubscriptionsEnv } from './env.ts'
import { recordEvent } from './events.ts'
import { fanoutToSubscribers } from './fanout.ts'
import type { FanoutOutcome, Place, Publication, ShardName } from './rpc.ts'
import type { Behind, SubscriptionStorage } from './subscription-storage.ts'

type Arm = (atMs: number) => Promise<void>
type Range = Place & { prevOffset: Position | null; carried: Uint8Array | null }

export class LocalFanout {
  readonly #env: SubscriptionsEnv
  readonly #storage: SubscriptionStorage
  readonly #arm: Arm
  /** Forgotten in sleep, as it should be: nothing depends on it but how soon a failing session is tried. */
  #breaker: Breaker = CLOSED

  constructor(env: SubscriptionsEnv, storage: SubscriptionStorage, arm: Arm) {
    this.#env = env
    this.#storage = storage
    this.#arm = arm
  }

  async bring(name: ShardName, publication: Publication, total: number): Promise<Fanout> {
    this.#storage.advance(place(publication))
    const listeners = this.#storage.listeners()
    const count = listeners.length
    if (count === 0) return NOBODY
    const hasQueue = this.#env.FANOUT_QUEUE !== undefined
    const planned = planFanout(total, hasQueue, () => this.#admits(), queueThreshold(this.#env))
    const mode = planned === 'queued' ? await this.#enqueue(name, publication, listeners) : planned
    const outcome = mode === 'inline' ? await this.#reach(name, listeners, publication) : null
    if (mode === 'deferred' || mode === 'circuit-open') await this.armRepair()
    const failures = outcome?.failed.length ?? 0
    if (mode === 'queued') recordEvent(this.#env, { type: 'fanout_queued', streamId: name.id, count })
    else recordEvent(this.#env, { type: 'fanout', streamId: name.id, detail: mode, count, values: [failures] })
    return { count, successes: outcome?.delivered.length ?? 0, failures, mode }
  }

  async settle({ delivered, stale, failed }: FanoutOutcome, { incarnation, offset }: Place): Promise<void> {
    this.#storage.removeStale(stale)
    if (incarnation === this.#storage.last().incarnation) this.#storage.settle(delivered, offset)
    if (failed.length > 0) await this.armRepair()
  }

  /** Brings the source's whole to those who are furthest behind; the alarm goes on until nobody is. */
  async repair(name: ShardName): Promise<void> {
    if (this.#storage.behind(1).length === 0) return
    const startedMs = systemClock.now()
    const last = this.#storage.last()
    const head = await this.#env.CORE.headStream(name)
    if (!isRefusal(head)) this.#storage.advance({ incarnation: head.incarnation, offset: head.tail })
    // Unless a publish came meanwhile, which knows better.
    else if (this.#storage.last().offset === last.offset) return this.#storage.forgetLast()
    const behind = this.#storage.behind(REPAIR_CHUNK)
    if (behind.length === 0) return
    const ranges = await this.#rangesFor(name, behind)
    // Asked last: between being admitted and telling what became of it nothing else may fail.
    if (!this.#admits()) return this.armRepair()
    let failures = 0
    for (const { listeners, range } of ranges) {
      if (this.#breaker.phase === 'open') failures += listeners.length
      else failures += (await this.#reach(name, listeners, range)).failed.length
    }
    const latencyMs = systemClock.now() - startedMs
    const sizes = { count: behind.length, latencyMs, values: [failures] }
    recordEvent(this.#env, { type: 'fanout_repair', streamId: name.id, ...sizes })
    if (failures > 0) await this.armRepair()
    else if (this.#storage.behind(1).length > 0) await this.#arm(systemClock.now())
  }

  /** Spread out, so that topics that failed together do not come back together. */
  async armRepair(): Promise<void> {
    const { retryMs } = repairTimes(this.#env)
    const earliest = this.#breaker.phase === 'open' ? this.#breaker.untilMs : systemClock.now() + retryMs
    await this.#arm(earliest + Math.round(retryMs * systemRandom()))
  }

  async #enqueue(name: ShardName, publication: Publication, listeners: Listener[]): Promise<'queued' | 'deferred'> {
    const { project: projectId, id: streamId, shard } = name
    const { incarnation, prevOffset, offset } = publication
    const message = { projectId, streamId, shard, incarnation, prevOffset, offset }
    try {
      await this.#arm(systemClock.now() + repairTimes(this.#env).queueMs)
      for (const batch of queueBatches(message, listeners))
        await this.#env.FANOUT_QUEUE?.sendBatch(batch.map((body) => ({ body })))
      return 'queued'
    } catch (error) {
      console.warn(JSON.stringify({ message: 'the queue took nothing', error: String(error) }))
      return 'deferred'
    }
  }

  async #reach(source: StreamName, listeners: Listener[], range: Range): Promise<FanoutOutcome> {
    const outcome = await fanoutToSubscribers(this.#env.CORE, {
      ...{ source, listeners, ...range },
      onBatch: (result) => {
        const before = this.#breaker.phase
        this.#breaker = record(this.#breaker, result, systemClock.now(), breakerRecoveryMs(this.#env))
        const isOpen = this.#breaker.phase === 'open'
        if (isOpen && before !== 'open') recordEvent(this.#env, { type: 'circuit_open', streamId: source.id })
        return !isOpen
      },
    })
    await this.settle(outcome, place(range))
    return outcome
  }

  /** Those who are behind by the same get it carried, read once for all of them. Who is alone there pulls it. */
  async #rangesFor(name: StreamName, behind: Behind[]): Promise<{ listeners: Listener[]; range: Range }[]> {
    const last = this.#storage.last()
    const groups = [...Map.groupBy(behind, ({ reached }) => reached)]
    return Promise.all(
      groups.map(async ([prevOffset, listeners]) => {
        const few = listeners.length === 1 || last.offset - prevOffset > MAX_CARRIED_BYTES
        const carried = few ? null : await this.#env.CORE.readRange(name, last.incarnation, prevOffset, last.offset)
        return { listeners, range: { ...last, prevOffset, carried } }
      }),
    )
  }

  #admits(): boolean {
    const { breaker, admitted } = ask(this.#breaker, systemClock.now())
    this.#breaker = breaker
    return admitted
  }
}

const place = ({ incarnation, offset }: Place): Place => ({ incarnation, offset })
