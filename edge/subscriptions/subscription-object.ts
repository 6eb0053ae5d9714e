// Who listens to one stream. A publish is intended in writing before the source is appended to, so that a crash in between
// is taken up by the alarm; then its listeners are reached (local-fanout.ts), here and in the shards, which are objects of
// this class beside the first one, each with listeners of its own. A publish succeeds once its append did: whatever becomes
// of the fan-out, storage knows who is behind.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import type { AppendRequest } from '../streams/core/append.ts'
import { isRefusal, type Refusal } from '../streams/core/refusal.ts'
import type { StreamName } from '../streams/core-service.ts'
import type { Appended } from '../streams/rpc.ts'
import { MAX_CARRIED_BYTES } from './constants.ts'
import { type Fanout, type Listener, NOBODY, sumFanouts } from './core/plan.ts'
import { subscriptionObjectName } from './core/route.ts'
import { repairTimes, type SubscriptionsEnv, shardLimit, shardSubscribers } from './env.ts'
import { recordEvent } from './events.ts'
import { LocalFanout } from './local-fanout.ts'
import type { FanoutOutcome, Place, Publication, Published, ShardName, SubscriptionRpc } from './rpc.ts'
import { type Shard, SubscriptionStorage } from './subscription-storage.ts'

export class SubscriptionDO extends DurableObject<SubscriptionsEnv> implements SubscriptionRpc {
  readonly #storage: SubscriptionStorage
  readonly #local: LocalFanout
  /** Intents of publishes that are under way in this very object; all others are left over. */
  readonly #underWay = new Set<number>()

  constructor(ctx: DurableObjectState, env: SubscriptionsEnv) {
    super(ctx, env)
    this.#storage = new SubscriptionStorage(ctx.storage.sql)
    this.#local = new LocalFanout(env, this.#storage, (atMs) => this.#arm(atMs))
  }

  async publish(name: StreamName, request: AppendRequest): Promise<Published> {
    this.#storage.remember({ ...name, shard: 0 })
    const startedMs = systemClock.now()
    const intent = this.#storage.addIntent(startedMs)
    this.#underWay.add(intent)
    try {
      await this.#arm(startedMs + repairTimes(this.env).intentMs)
      const appended = await this.env.CORE.postStream(name, request)
      // Until here an error leaves the intent for the alarm, which looks whether the source has moved.
      const fanout = await this.#follow(name, request, appended)
      this.#storage.removeIntent(intent)
      const latencyMs = systemClock.now() - startedMs
      if (isRefusal(appended)) recordEvent(this.env, errorEvent(name, appended))
      else recordEvent(this.env, { type: 'publish', streamId: name.id, detail: fanout.mode, latencyMs })
      return { appended, fanout }
    } finally {
      this.#underWay.delete(intent)
    }
  }

  async addSubscriber(name: StreamName, listener: Listener, start: Place): Promise<boolean> {
    if ((await this.shareSubscriber({ ...name, shard: 0 }, listener, start, this.#storage.last())) !== null) return true
    for (let shard = 1; shard < shardLimit(this.env); shard++) {
      // Known before it has anybody, so that whatever is published from now on goes there too.
      if (!this.#storage.shards().some((known) => known.shard === shard)) this.#storage.putShard(shard, 0)
      const stub = this.#shard(name, shard)
      const count = await stub.shareSubscriber({ ...name, shard }, listener, start, this.#storage.last())
      if (count === null) continue
      this.#storage.putShard(shard, count)
      return true
    }
    return false
  }

  async removeSubscriber(sessionId: string): Promise<void> {
    this.#storage.remove(sessionId)
    const name = this.#storage.name()
    if (name === null || name.shard !== 0) return
    await Promise.all(this.#storage.shards().map(({ shard }) => this.#shard(name, shard).removeSubscriber(sessionId)))
  }

  settle(outcome: FanoutOutcome, place: Place): Promise<void> {
    return this.#local.settle(outcome, place)
  }

  override async alarm(): Promise<void> {
    const name = this.#storage.name()
    if (name === null) return
    try {
      const left = this.#storage.intents().filter((intent) => !this.#underWay.has(intent))
      if (left.length > 0) await this.#resume(name)
      for (const intent of left) this.#storage.removeIntent(intent)
      if (!(await this.#repairShards(name))) await this.#local.armRepair()
      await this.#local.repair(name)
    } catch (error) {
      // Not left to the platform, which gives up after six tries.
      console.warn(JSON.stringify({ message: 'repair postponed', error: String(error) }))
      await this.#local.armRepair()
    }
    if (this.#underWay.size > 0) await this.#arm(systemClock.now() + repairTimes(this.env).intentMs)
  }

  // As a shard.

  async shareSubscriber(name: ShardName, listener: Listener, start: Place, last: Place): Promise<number | null> {
    const isFull = this.#storage.count() >= shardSubscribers(this.env) && !this.#storage.has(listener.sessionId)
    if (isFull) return null
    this.#storage.remember(name)
    // Without a publish so far, the source has come as far as this listener has seen it.
    this.#storage.advance(last.incarnation === '' ? start : last)
    const now = this.#storage.last()
    // Of another incarnation than ours: the repair finds out which is the source's.
    const reached = start.incarnation === now.incarnation ? start.offset : 0
    this.#storage.add(listener, reached)
    // What was published between its start and now is owed at once.
    if (now.offset > reached) await this.#arm(systemClock.now())
    return this.#storage.count()
  }

  async shareFanout(publication: Publication, total: number): Promise<Fanout> {
    const name = this.#storage.name()
    return name === null ? NOBODY : this.#local.bring(name, publication, total)
  }

  async shareProgress(last: Place): Promise<void> {
    this.#storage.advance(last)
    if (this.#storage.behind(1).length > 0) await this.#arm(systemClock.now())
  }

  // As the first of them.

  /** After the append nothing fails the publish any more: what goes wrong is put right by the alarm. */
  async #follow(name: StreamName, request: AppendRequest, appended: Appended | Refusal): Promise<Fanout> {
    try {
      if (!isRefusal(appended) && appended.fresh) return await this.#spread(name, request, appended)
      // A repeat: the first one may have come to nothing after its append.
      if (!isRefusal(appended) || appended.status === 409 || appended.status === 412) await this.#resume(name)
      return NOBODY
    } catch (error) {
      console.warn(JSON.stringify({ message: 'fan-out left to the alarm', error: String(error) }))
      await this.#local.armRepair()
      return { ...NOBODY, count: this.#total(), mode: 'deferred' }
    }
  }

  async #spread(name: StreamName, { body }: AppendRequest, appended: Appended): Promise<Fanout> {
    const { incarnation, from: prevOffset, tail: offset } = appended
    const carried = body.length <= MAX_CARRIED_BYTES ? body : null
    const publication = { incarnation, prevOffset, offset, carried }
    this.#storage.advance({ incarnation, offset })
    const total = this.#total()
    const shards = this.#storage.shards().map((shard) => this.#tellShard(name, shard, publication, total))
    return sumFanouts(await Promise.all([this.#local.bring({ ...name, shard: 0 }, publication, total), ...shards]))
  }

  async #tellShard(name: StreamName, { shard, listeners }: Shard, publication: Publication, total: number) {
    try {
      const fanout = await this.#shard(name, shard).shareFanout(publication, total)
      this.#storage.putShard(shard, fanout.count)
      if (publication.incarnation === this.#storage.last().incarnation)
        this.#storage.settleShard(shard, publication.offset)
      return fanout
    } catch (error) {
      console.warn(JSON.stringify({ message: 'shard not reached', error: String(error) }))
      await this.#local.armRepair()
      return { count: listeners, successes: 0, failures: listeners, mode: 'deferred' } as const
    }
  }

  /** False when one of them could not be told. */
  async #repairShards(name: StreamName): Promise<boolean> {
    const last = this.#storage.last()
    const results = await Promise.allSettled(
      this.#storage.shardsBehind().map(async ({ shard }) => {
        await this.#shard(name, shard).shareProgress(last)
        if (last.incarnation === this.#storage.last().incarnation) this.#storage.settleShard(shard, last.offset)
      }),
    )
    return results.every(({ status }) => status === 'fulfilled')
  }

  /** The source may have moved without its listeners: then everybody is behind, and whoever has it all says so. */
  async #resume(name: StreamName): Promise<void> {
    const head = await this.env.CORE.headStream(name)
    if (isRefusal(head)) return
    this.#storage.advance({ incarnation: head.incarnation, offset: head.tail })
    if (this.#storage.behind(1).length > 0 || this.#storage.shardsBehind().length > 0)
      await this.#arm(systemClock.now())
  }

  #total(): number {
    return this.#storage.shards().reduce((sum, { listeners }) => sum + listeners, this.#storage.count())
  }

  #shard({ project, id }: StreamName, shard: number): DurableObjectStub<SubscriptionRpc> {
    return this.env.SUBSCRIPTION_DO.getByName(subscriptionObjectName(project, id, shard))
  }

  async #arm(atMs: number): Promise<void> {
    const known = await this.ctx.storage.getAlarm()
    if (known === null || known > atMs) await this.ctx.storage.setAlarm(atMs)
  }
}

const errorEvent = ({ id }: StreamName, { status }: Refusal) =>
  ({ type: 'publish_error', streamId: id, detail: String(status) }) as const
