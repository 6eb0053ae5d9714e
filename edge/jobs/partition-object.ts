// One partition as a Durable Object: a Partition (which decides) with a clock, an alarm and an egress to call. A lease is
// stored before the egress is called, because nothing leaves an object before its writes are safe. Whatever is in memory may
// be gone at any moment: the alarm finds what was left behind.
import { DurableObject } from 'cloudflare:workers'
import { systemClock, systemRandom } from '#shared/clock.ts'
import type { PlacedJob } from './core/job.ts'
import type { Verdict } from './core/outcome.ts'
import type { PartitionStatus } from './core/status.ts'
import { HANDOVER_CHUNK, IDEMPOTENCY_MS } from './core/tuning.ts'
import { callEgress } from './egress.ts'
import { type JobsEnv, partitionOf } from './env.ts'
import { type Handover, memories, outgoing, receive, releasable, release } from './handover.ts'
import { Partition, type Place, type Work } from './partition.ts'
import type { DeadLetter } from './partition-schema.ts'
import { PartitionStorage } from './partition-storage.ts'
import type { Enqueued, PartitionRpc, PlacementWish } from './rpc.ts'
import { countingSql, type RowCount } from './sql.ts'

/** A move that could not go on is taken up again after this. */
const MOVE_AGAIN_MS = 500

export class JobPartition extends DurableObject<JobsEnv> implements PartitionRpc {
  readonly #storage: PartitionStorage
  #partition: Partition
  /** The alarm as we know it; null after a start. */
  #armedAt: number | null = null
  #moving = false
  #mayMove = true
  /** Since it woke. */
  readonly #rows: RowCount = { read: 0, written: 0 }

  constructor(ctx: DurableObjectState, env: JobsEnv) {
    super(ctx, env)
    this.#storage = new PartitionStorage(countingSql(ctx.storage.sql, this.#rows))
    this.#partition = new Partition(this.#storage)
    // An alarm that was lost with the machine, or never set because we were too quick to die.
    this.#arm()
  }

  async configure(project: string, place: Place): Promise<{ active: number }> {
    this.#step((partition, now) => {
      this.#storage.put('project', project)
      partition.configure(place, now)
    })
    this.#mayMove = true
    this.#goOn()
    return { active: this.#partition.active }
  }

  async enqueue(jobs: PlacedJob[], known: boolean): Promise<Enqueued> {
    const { place } = this.#partition
    if (place === null) return null
    const taken = this.#step((partition, now) => partition.enqueue(jobs, now, known))
    this.#mayMove ||= known
    this.#goOn()
    return { taken, retryAfterMs: this.#partition.retryAfterMs(systemClock.now()), version: place.plan.version }
  }

  async placeAll(wishes: PlacementWish[]): Promise<number[] | null> {
    const { place } = this.#partition
    if (place === null) return null
    const { owners, config } = place.plan
    // Somebody else may know more about them.
    const foreign = wishes.some(({ virtual }) => owners[virtual] !== place.index || this.#partition.awaits(virtual))
    if (foreign) return null
    return this.#step((_, now) =>
      wishes.map(({ subject, virtual, proposal }) => {
        const known = this.#storage.placement(subject) ?? proposal
        // What a partition had that is no more has come to the owner of the virtual partition, which is us.
        const partition = known < config.partitions ? known : place.index
        this.#storage.place({ subject, virtual, partition, until: now + IDEMPOTENCY_MS })
        return partition
      }),
    )
  }

  async status(): Promise<PartitionStatus | null> {
    if (this.#partition.place === null) return null
    return { ...this.#partition.status(systemClock.now()), rows: this.#rows }
  }

  async waitingByVirtual(): Promise<{ virtual: number; count: number }[]> {
    return this.#storage.waitingByVirtual()
  }

  async settle(token: string, verdict: Verdict): Promise<boolean> {
    // One transaction for what has ended and what begins in its place.
    const [settled, next] = this.#step((partition, now) => [
      partition.settle(token, verdict, { now, roll: systemRandom() }),
      partition.take(now, crypto.randomUUID()),
    ])
    if (next !== null) this.ctx.waitUntil(this.#work(next))
    this.#goOn()
    return settled
  }

  async renew(token: string): Promise<number | null> {
    return this.#step((partition, now) => partition.renew(token, now))
  }

  async deadLetters(before: number, limit: number): Promise<DeadLetter[]> {
    return this.#storage.dead(before, limit)
  }

  async replay(ids: string[] | null): Promise<number> {
    const replayed = this.#step((partition, now) => partition.replay(ids ?? this.#allDead(), now))
    this.#mayMove = true
    this.#goOn()
    return replayed
  }

  async discard(ids: string[] | null): Promise<number> {
    return this.#step((partition) => partition.discard(ids ?? this.#allDead()))
  }

  async drain(): Promise<number> {
    return this.#partition.place === null ? 0 : this.#step((partition, now) => partition.drain(now))
  }

  async receive(handover: Handover): Promise<void> {
    this.#step((partition, now) => receive(partition, handover, now))
    this.#mayMove = true
    this.#goOn()
  }

  async release(virtual: number, since: number): Promise<void> {
    this.#step((partition, now) => release(partition, virtual, since, now))
    this.#goOn()
  }

  override async alarm(): Promise<void> {
    this.#armedAt = null
    this.#step((partition, now) => partition.sweep({ now, roll: systemRandom() }))
    this.#goOn()
  }

  /** All or nothing, in storage and in memory. */
  #step<Result>(change: (partition: Partition, now: number) => Result): Result {
    try {
      return this.ctx.storage.transactionSync(() => change(this.#partition, systemClock.now()))
    } catch (error) {
      this.#partition = new Partition(this.#storage)
      throw error
    }
  }

  /** After every change: begin what can begin, hand on what is not ours, and see that somebody wakes us. */
  #goOn(): void {
    while (this.#partition.hasRoom) {
      const work = this.#step((partition, now) => partition.take(now, crypto.randomUUID()))
      if (work === null) break
      this.ctx.waitUntil(this.#work(work))
    }
    if (this.#hasMoves()) this.ctx.waitUntil(this.#move())
    this.#arm()
  }

  async #work(work: Work): Promise<void> {
    try {
      const { timeout } = this.#partition.place!.plan.config
      const verdict = await callEgress(this.env, this.#project(), work, timeout)
      await this.settle(work.token, verdict)
    } catch (error) {
      // Its lease ends, and the alarm takes it up.
      console.error(JSON.stringify({ message: 'an attempt could not be settled', job: work.id, error: String(error) }))
    }
  }

  async #move(): Promise<void> {
    if (this.#moving) return
    this.#moving = true
    try {
      const project = this.#project()
      for (let out = outgoing(this.#partition); out !== null; out = outgoing(this.#partition)) {
        const { taker, version, jobs } = out
        await partitionOf(this.env, project, taker).receive({ jobs, seen: [], placements: [] })
        this.#step((partition) => partition.handedOver(jobs, version))
      }
      for (const move of releasable(this.#partition)) {
        const taker = partitionOf(this.env, project, move.taker)
        for (const part of memories(this.#partition, move.virtual)) await taker.receive(part)
        await taker.release(move.virtual, move.since)
        this.#step(() => this.#storage.endMove(move))
      }
    } catch (error) {
      console.warn(JSON.stringify({ message: 'a move waits', error: String(error) }))
    } finally {
      this.#moving = false
      this.#arm()
    }
  }

  /** Looked up only after something that can bring one about. */
  #hasMoves(): boolean {
    if (this.#mayMove)
      this.#mayMove =
        this.#partition.place !== null && (this.#storage.leaving(1).length > 0 || this.#storage.moves().length > 0)
    return this.#mayMove
  }

  #arm(): void {
    const now = systemClock.now()
    const due = this.#partition.nextDueAt(now)
    const moveAt = this.#hasMoves() ? now + MOVE_AGAIN_MS : null
    const moments = [due, moveAt].filter((moment) => moment !== null)
    if (moments.length === 0) return
    const at = Math.max(now, Math.min(...moments))
    // An alarm that is early does no harm; setting it is a write.
    if (this.#armedAt !== null && this.#armedAt <= at && this.#armedAt > now) return
    this.#armedAt = at
    void this.ctx.storage.setAlarm(at)
  }

  #allDead(): string[] {
    return this.#storage.dead(Number.MAX_SAFE_INTEGER, 10 * HANDOVER_CHUNK).map(({ id }) => id)
  }

  /** An alarm does not tell us our name. */
  #project(): string {
    return this.#storage.get<string>('project') ?? ''
  }
}
