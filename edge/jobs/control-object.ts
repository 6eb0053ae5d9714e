// Decides for one project where everything is: keeps the plan, tells the partitions, and goes on until all of them know
// (core/control.ts says in which order). Jobs do not pass through here.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import type { ConcurrencyManagerConfig } from './core/config.ts'
import {
  advance,
  beginControl,
  type Call,
  type Control,
  calling,
  changeConfig,
  changeOwners,
  everUsed,
  heard,
  isSettled,
} from './core/control.ts'
import { REBALANCE_REST_MS, VIRTUAL_PARTITIONS } from './core/tuning.ts'
import { relieve } from './core/virtual-partitions.ts'
import { firstConfig, type JobsEnv, partitionOf } from './env.ts'
import type { ControlRpc, ControlView } from './rpc.ts'

/** Partitions that have too much under way are asked again after this. */
const ASK_AGAIN_MS = 200
/** Enough for telling, publishing and growing when everybody answers at once. */
const ROUNDS_AT_ONCE = 4

export class JobControl extends DurableObject<JobsEnv> implements ControlRpc {
  #control: Control | null = null
  #project = ''
  #rebalancedAt = 0
  /** One round after the other: two at once could both see room for the same slots. */
  #round: Promise<void> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: JobsEnv) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      this.#control = (await ctx.storage.get<Control>('control')) ?? null
      this.#project = (await ctx.storage.get<string>('project')) ?? ''
    })
  }

  async view(project: string): Promise<ControlView> {
    if (this.#control === null) await this.#begin(project)
    else if (this.#control.published === null) await this.#carryOut()
    return this.#view()
  }

  async configure(project: string, config: ConcurrencyManagerConfig): Promise<ControlView> {
    if (this.#control === null) await this.#begin(project)
    this.#keep(changeConfig(this.#control!, config))
    await this.#carryOut()
    return this.#view()
  }

  async rebalance(project: string, asked: boolean): Promise<number> {
    if (this.#control === null) await this.#begin(project)
    const now = systemClock.now()
    const { config, owners } = this.#control!.target
    if (config.routing !== 'hash' || !isSettled(this.#control!)) return 0
    if (!asked && (config.rebalance !== 'auto' || now - this.#rebalancedAt < REBALANCE_REST_MS)) return 0
    this.#rebalancedAt = now
    const loads = Array<number>(VIRTUAL_PARTITIONS).fill(0)
    const all = Array.from({ length: config.partitions }, (_, index) => partitionOf(this.env, project, index))
    for (const waiting of await Promise.all(all.map((partition) => partition.waitingByVirtual())))
      for (const { virtual, count } of waiting) loads[virtual]! += count
    const relieved = relieve(owners, loads, config.partitions)
    const moved = relieved.filter((owner, virtual) => owner !== owners[virtual]).length
    // Somebody may have changed the plan while the partitions were asked.
    if (moved === 0 || this.#control!.target.owners !== owners) return 0
    this.#keep(changeOwners(this.#control!, relieved))
    await this.#carryOut()
    return moved
  }

  override async alarm(): Promise<void> {
    await this.#carryOut()
  }

  async #begin(project: string): Promise<void> {
    this.#project = project
    await this.ctx.storage.put('project', project)
    this.#keep(beginControl(firstConfig(this.env)))
    // For whoever gathers the figures of all projects.
    await this.env.REGISTRY.put(`jobs:${project}`, '1')
    await this.#carryOut()
  }

  #carryOut(): Promise<void> {
    const round = this.#round.then(() => this.#rounds())
    // What failed is its caller's business; the next round begins all the same.
    this.#round = round.catch(() => {})
    return round
  }

  async #rounds(): Promise<void> {
    // Before anybody is called: whatever happens now, somebody goes on.
    await this.ctx.storage.setAlarm(systemClock.now() + ASK_AGAIN_MS)
    for (let rounds = 0; rounds < ROUNDS_AT_ONCE; rounds++) {
      const { control, calls } = advance(this.#control!)
      this.#keep(control)
      if (calls.length === 0) break
      await Promise.all(calls.map((call) => this.#call(call)))
    }
    if (isSettled(this.#control!)) await this.ctx.storage.deleteAlarm()
  }

  async #call(call: Call): Promise<void> {
    const plan = this.#control!.target
    this.#keep(calling(this.#control!, call))
    try {
      const { partition: index, slots } = call
      const { active } = await partitionOf(this.env, this.#project, index).configure(this.#project, {
        index,
        slots,
        plan,
      })
      this.#keep(heard(this.#control!, { ...call, version: plan.version, active }))
    } catch (error) {
      // It is asked again by the alarm.
      console.warn(
        JSON.stringify({ message: 'a partition was not told', partition: call.partition, error: String(error) }),
      )
    }
  }

  #keep(control: Control): void {
    if (control === this.#control) return
    this.#control = control
    void this.ctx.storage.put('control', control)
  }

  #view(): ControlView {
    const control = this.#control!
    if (control.published === null) throw new Error('the partitions cannot be reached')
    const { granted } = control
    return { plan: control.published, everUsed: everUsed(control), granted, settled: isSettled(control) }
  }
}
