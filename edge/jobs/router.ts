// Brings jobs to their partitions: fixes the place of each, hands them over in batches, and puts the answers together. Knows
// the plan as it was a few seconds ago; a partition that knows better says so, and then the plan is asked for again.
import { systemClock } from '#shared/clock.ts'
import { admitAll } from './core/admission.ts'
import { type DispatchResult, type Fate, type Placed, putTogether } from './core/answer.ts'
import { byKey } from './core/config.ts'
import { type JobInput, type PlacedJob, routingKey } from './core/job.ts'
import { packMessages } from './core/queue-messages.ts'
import type { JobsStatus } from './core/status.ts'
import { HOT_RATIO, STATUS_MS } from './core/tuning.ts'
import { imbalance, virtualPartitionOf } from './core/virtual-partitions.ts'
import { controlOf, type JobsEnv, partitionOf } from './env.ts'
import type { ControlView, PlacementWish } from './rpc.ts'

type Known = { at: number; view: ControlView; status: JobsStatus }
type Answered = Placed & { index: number; retryMs: number }
type Lot = { index: number; job: PlacedJob; partition: number | null }

/** While virtual partitions move nobody takes their jobs for a moment. */
const TRIES = 6
const FIRST_WAIT_MS = 40

/** Per isolate. A turn that two isolates take at once is no harm. */
const known = new Map<string, Known>()
const turns = new Map<string, number>()

export class ConcurrencyRouter {
  readonly #env: JobsEnv
  readonly #project: string

  constructor(env: JobsEnv, project: string) {
    this.#env = env
    this.#project = project
  }

  async dispatch(jobs: JobInput[]): Promise<DispatchResult> {
    const fates = jobs.map((): Placed => ({ partition: null, fate: 'moved' }))
    let waiting = [...jobs.keys()]
    let retryAfterMs = 0
    for (let tries = 0; tries < TRIES && waiting.length > 0; tries++) {
      if (tries > 0) await sleep(FIRST_WAIT_MS * 2 ** tries)
      const current = await this.#known(tries > 0)
      const lots = await this.#place(
        waiting.map((index) => ({ index, job: jobs[index]! })),
        current,
      )
      const handIn = current.view.plan.config.intake === 'queue' ? this.#viaQueue(lots, current) : this.#direct(lots)
      for (const { index, partition, fate, retryMs } of await handIn) {
        fates[index] = { partition, fate }
        retryAfterMs = Math.max(retryAfterMs, retryMs)
      }
      waiting = waiting.filter((index) => fates[index]!.fate === 'moved')
    }
    return putTogether(jobs, fates, retryAfterMs)
  }

  /** Not older than five seconds. */
  async status(): Promise<JobsStatus> {
    return (await this.#known(false)).status
  }

  async freshStatus(): Promise<JobsStatus> {
    return (await this.#known(true)).status
  }

  async view(): Promise<ControlView> {
    return (await this.#known(true)).view
  }

  // Where

  async #place(jobs: { index: number; job: JobInput }[], { view, status }: Known): Promise<Lot[]> {
    const { config, owners } = view.plan
    const { routing, hashKey = 'idempotency-key' } = config
    const placed = await Promise.all(
      jobs.map(async ({ index, job }) => {
        // What is spread by chance is spread by its idempotency key: sent again, it comes to the same place.
        const key = byKey(routing) ? routingKey(job, hashKey) : job.idempotencyKey
        return { index, key, job: { ...job, virtual: await virtualOf(key) } }
      }),
    )
    if (routing === 'hash' || routing === 'random')
      return placed.map(({ index, job }) => ({ index, job, partition: owners[job.virtual]! }))
    const propose = routing === 'round-robin' ? this.#inTurn(config.partitions) : leastLoaded(status, config.partitions)
    return this.#remembered(placed, owners, propose)
  }

  /** Whoever is put somewhere by turn or load must come to the same place again: the place is written down first. */
  async #remembered(
    placed: { index: number; key: string; job: PlacedJob }[],
    owners: number[],
    propose: () => number,
  ): Promise<Lot[]> {
    const byAnchor = Map.groupBy(placed, ({ job }) => owners[job.virtual]!)
    const lots = await Promise.all(
      [...byAnchor].map(async ([anchor, group]) => {
        const wishes = group.map(({ key, job }): PlacementWish => {
          return { subject: key, virtual: job.virtual, proposal: propose() }
        })
        const places = await partitionOf(this.#env, this.#project, anchor).placeAll(wishes).catch(unreachable)
        return group.map(({ index, job }, at): Lot => ({ index, job, partition: places?.[at] ?? null }))
      }),
    )
    return lots.flat()
  }

  #inTurn(partitions: number): () => number {
    return () => {
      const turn = turns.get(this.#project) ?? 0
      turns.set(this.#project, turn + 1)
      return turn % partitions
    }
  }

  // How

  async #direct(lots: Lot[]): Promise<Answered[]> {
    const spilled: { partition: number; jobs: PlacedJob[] }[] = []
    const answers = await Promise.all(
      [...Map.groupBy(lots, ({ partition }) => partition)].map(async ([partition, group]) => {
        const all = (fate: Fate) => group.map(({ index }) => ({ index, partition, fate, retryMs: 0 }))
        if (partition === null) return all('moved')
        const jobs = group.map(({ job }) => job)
        const answer = await partitionOf(this.#env, this.#project, partition).enqueue(jobs, false).catch(unreachable)
        if (answer === undefined) return all('unreachable')
        if (answer === null) return all('moved')
        const over = jobs.filter((_, at) => answer.taken[at] === 'spill')
        if (over.length > 0) spilled.push({ partition, jobs: over })
        return group.map(({ index }, at) => {
          return { index, partition, fate: answer.taken[at]!, retryMs: answer.retryAfterMs }
        })
      }),
    )
    // Accepted means durable: whoever spills is answered after the queue has them.
    await this.#send(spilled)
    return answers.flat()
  }

  /** Judged by what is known; who was accepted waits in the queue if there is no room after all. */
  async #viaQueue(lots: Lot[], { view, status }: Known): Promise<Answered[]> {
    const { config } = view.plan
    const toSend: { partition: number; jobs: PlacedJob[] }[] = []
    const judged = [...Map.groupBy(lots, ({ partition }) => partition)].flatMap(([partition, group]): Answered[] => {
      if (partition === null) return group.map(({ index }) => ({ index, partition, fate: 'moved', retryMs: 0 }))
      const depth = status.partitions[partition]?.depth ?? 0
      const admissions = admitAll(
        group.map(({ job }) => job.type),
        depth,
        config,
      )
      const taken = (at: number) => admissions[at] === 'take' || admissions[at] === 'spill'
      toSend.push({ partition, jobs: group.filter((_, at) => taken(at)).map(({ job }) => job) })
      return group.map(({ index }, at) => {
        const fate: Fate = taken(at) ? 'queued' : (admissions[at] as Fate)
        return { index, partition, fate, retryMs: STATUS_MS }
      })
    })
    await this.#send(toSend)
    return judged
  }

  async #send(placed: { partition: number; jobs: PlacedJob[] }[]): Promise<void> {
    for (const call of packMessages(placed.filter(({ jobs }) => jobs.length > 0)))
      await this.#env.JOBS_QUEUE.sendBatch(call.map((message) => ({ body: { project: this.#project, ...message } })))
  }

  async #known(fresh: boolean): Promise<Known> {
    const now = systemClock.now()
    const before = known.get(this.#project)
    if (!fresh && before !== undefined && now - before.at < STATUS_MS) return before
    const view = await controlOf(this.#env, this.#project).view(this.#project)
    const found: Known = { at: now, view, status: await this.#gather(view) }
    known.set(this.#project, found)
    if (found.status.imbalance >= HOT_RATIO) await controlOf(this.#env, this.#project).rebalance(this.#project, false)
    return found
  }

  async #gather({ plan, everUsed, settled }: ControlView): Promise<JobsStatus> {
    const all = Array.from({ length: everUsed }, (_, index) => partitionOf(this.#env, this.#project, index))
    const answers = await Promise.all(all.map((partition) => partition.status().catch(unreachable)))
    const partitions = answers.filter((answer) => answer !== null && answer !== undefined)
    const sum = (field: 'depth' | 'active' | 'dead') => partitions.reduce((total, one) => total + one[field], 0)
    const depths = partitions.filter(({ slots }) => slots > 0).map(({ depth, active }) => depth + active)
    return {
      ...{ version: plan.version, settled, concurrency: plan.config.concurrency },
      ...{ depth: sum('depth'), active: sum('active'), dead: sum('dead'), imbalance: imbalance(depths), partitions },
    }
  }
}

/** Asked again after every proposal, with what it has just been given. */
function leastLoaded({ partitions }: JobsStatus, count: number): () => number {
  const loads = Array.from({ length: count }, (_, index) => {
    const { depth = 0, active = 0, slots = 1 } = partitions.find(({ partition }) => partition === index) ?? {}
    return { load: depth + active, slots: Math.max(1, slots) }
  })
  return () => {
    const shares = loads.map(({ load, slots }) => load / slots)
    const least = shares.indexOf(Math.min(...shares))
    loads[least]!.load += 1
    return least
  }
}

async function virtualOf(key: string): Promise<number> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return virtualPartitionOf(new Uint8Array(digest))
}

function unreachable(error: unknown): undefined {
  console.warn(JSON.stringify({ message: 'a partition did not answer', error: String(error) }))
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
