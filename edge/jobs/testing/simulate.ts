// The whole of it in one process and in its own time: real partitions on real SQLite, the real control, and an egress that
// fails in every way it can. Partitions lose their memory, answers are lost or come late, jobs are sent twice, the
// plan changes while all of it goes on. The same seed gives the same run.
import { sqliteInMemory } from '#scripts/testing/sqlite.ts'
import { type Random, seededRandom } from '#shared/clock.ts'
import { type ConcurrencyManagerConfig, configSchema } from '../core/config.ts'
import { advance, beginControl, type Control, calling, changeConfig, changeOwners, heard } from '../core/control.ts'
import type { PlacedJob } from '../core/job.ts'
import type { Verdict } from '../core/outcome.ts'
import { VIRTUAL_PARTITIONS } from '../core/tuning.ts'
import { memories, outgoing, receive, releasable, release } from '../handover.ts'
import { Partition, type Work } from '../partition.ts'
import { PartitionStorage } from '../partition-storage.ts'

export type SimulationOptions = {
  jobs: number
  seed: number
  config: Record<string, unknown>
  /** Configurations that are set in turn while jobs run. */
  changes?: Record<string, unknown>[]
  /** Chances of what can go wrong with one attempt, and of a lost memory at one event. */
  faults?: Partial<Faults>
  keys?: number
}
export type Faults = {
  retry: number
  dead: number
  silent: number
  egressDown: number
  restart: number
  resend: number
}
export type SimulationResult = {
  accepted: number
  done: number
  dead: number
  /** Attempts at the target. */
  attempts: number
  /** The most that ran at once beyond the limit of that moment. */
  overLimit: number
  outOfOrder: number
  finishedTwice: number
  refusedLate: number
  restarts: number
  moves: number
}

const FAULTS: Faults = { retry: 0.08, dead: 0.01, silent: 0.01, egressDown: 0.005, restart: 0.002, resend: 0.05 }
const WORK_MS = 40
const ROUND_MS = 5

type Flight = { partition: number; work: Work; endsAt: number; verdict: Verdict | null }

export function simulate(options: SimulationOptions): SimulationResult {
  const random = seededRandom(options.seed)
  return new Simulation(options, random).run()
}

class Simulation {
  readonly #random: Random
  readonly #faults: Faults
  readonly #options: SimulationOptions
  readonly #storages: PartitionStorage[] = []
  readonly #partitions: Partition[] = []
  #control: Control
  #limit: number
  #now = 1_800_000_000_000
  #sequence = 0
  #flights: Flight[] = []
  #silent: Flight[] = []
  readonly #deadSeen: number[] = []
  readonly #toSend: PlacedJob[]
  readonly #accepted = new Map<string, { key: string; at: number }>()
  readonly #finished = new Map<string, 'done' | 'dead'>()
  /** Per key: what was accepted and has not ended, in order. */
  readonly #open = new Map<string, string[]>()
  readonly #result: SimulationResult = {
    ...{ accepted: 0, done: 0, dead: 0, attempts: 0, overLimit: 0, outOfOrder: 0, finishedTwice: 0 },
    ...{ refusedLate: 0, restarts: 0, moves: 0 },
  }

  constructor(options: SimulationOptions, random: Random) {
    this.#options = options
    this.#random = random
    this.#faults = { ...FAULTS, ...options.faults }
    const config = configSchema.parse(options.config)
    this.#control = beginControl(config)
    this.#limit = config.concurrency
    const keys = options.keys ?? 50
    this.#toSend = Array.from({ length: options.jobs }, (_, at) => {
      const key = `key-${Math.floor(random() * keys)}`
      const job = { type: 'webhook' as const, key, payload: '{}', idempotencyKey: `job-${at}` }
      const delayed = random() < 0.02 ? { runAt: this.#now + Math.floor(random() * 2_000) } : {}
      return { ...job, ...delayed, priority: Math.floor(random() * 10), virtual: virtualOf(key) }
    })
  }

  run(): SimulationResult {
    const changes = [...(this.#options.changes ?? [])]
    const every = Math.ceil(this.#toSend.length / (changes.length + 1))
    let sent = 0
    for (let rounds = 0; sent < this.#toSend.length || this.#leftOver(); rounds++) {
      if (rounds > 20_000_000) throw new Error('it does not end')
      this.#carryOutPlan()
      if (sent < this.#toSend.length) sent += this.#send(sent)
      if (changes.length > 0 && sent >= every * ((this.#options.changes?.length ?? 0) - changes.length + 1))
        this.#change(configSchema.parse(changes.shift()))
      if (this.#random() < 0.001) this.#shuffle()
      this.#move()
      this.#work()
      this.#now += ROUND_MS
      if (this.#flights.length === 0 && sent === this.#toSend.length) this.#skipAhead()
      this.#land()
      for (const index of this.#partitions.keys()) this.#collectDead(index)
    }
    this.#result.accepted = this.#accepted.size
    return this.#result
  }

  // The plan

  #carryOutPlan(): void {
    const { control, calls } = advance(this.#control)
    this.#control = control
    for (const call of calls) {
      this.#control = calling(this.#control, call)
      // Lost on the way there.
      if (this.#random() < 0.1) continue
      const partition = this.#partition(call.partition)
      const { version } = this.#control.target
      partition.configure({ index: call.partition, slots: call.slots, plan: this.#control.target }, this.#now)
      // Lost on the way back.
      if (this.#random() < 0.1) continue
      this.#control = heard(this.#control, { ...call, version, active: partition.active })
    }
    // A smaller limit holds from the moment it is confirmed everywhere, a larger one from when it is wished.
    const granted = this.#control.granted.reduce((sum, slots) => sum + slots, 0)
    if (granted <= this.#control.target.config.concurrency) this.#limit = this.#control.target.config.concurrency
  }

  #change(config: ConcurrencyManagerConfig): void {
    this.#control = changeConfig(this.#control, config)
    this.#limit = Math.max(this.#limit, config.concurrency)
    this.#result.moves++
  }

  #shuffle(): void {
    const { owners, config } = this.#control.target
    const next = owners.map((owner) => (this.#random() < 0.1 ? Math.floor(this.#random() * config.partitions) : owner))
    this.#control = changeOwners(this.#control, next)
    this.#result.moves++
  }

  #move(): void {
    for (const partition of this.#partitions) {
      const out = outgoing(partition)
      if (out !== null && this.#partition(out.taker).place !== null && this.#random() > 0.1) {
        receive(this.#partition(out.taker), { jobs: out.jobs, seen: [], placements: [] }, this.#now)
        if (this.#random() > 0.1) partition.handedOver(out.jobs, out.version)
      }
      for (const { virtual, since, taker } of releasable(partition)) {
        if (this.#partition(taker).place === null || this.#random() < 0.1) continue
        for (const part of memories(partition, virtual)) receive(this.#partition(taker), part, this.#now)
        release(this.#partition(taker), virtual, since, this.#now)
        if (this.#random() > 0.1) partition.storage.endMove({ virtual, since })
      }
    }
  }

  // The router

  #send(from: number): number {
    const { published } = this.#control
    if (published === null) return 0
    const count = Math.min(1 + Math.floor(this.#random() * 20), this.#toSend.length - from)
    let at = 0
    for (; at < count; at++) {
      const job = this.#toSend[from + at]!
      const again = this.#random() < this.#faults.resend
      const [taken] = this.#partition(published.owners[job.virtual]!).enqueue([job], this.#now)
      // Whoever is refused comes again, and in their order.
      if (taken === 'moved' || taken === 'slow' || taken === 'full') break
      if (taken === 'queued') this.#accept(job)
      if (again) this.#partition(published.owners[job.virtual]!).enqueue([job], this.#now)
    }
    // A client that did not hear the answer sends what it sent before.
    if (from > 0 && this.#random() < this.#faults.resend) {
      const old = this.#toSend[Math.floor(this.#random() * from)]!
      this.#partition(published.owners[old.virtual]!).enqueue([old], this.#now)
    }
    return at
  }

  #accept(job: PlacedJob): void {
    const key = job.key!
    this.#accepted.set(job.idempotencyKey, { key, at: this.#sequence++ })
    // A delayed job takes its place when its time has come, so it is outside of what is promised about order.
    if (job.runAt === undefined) this.#open.set(key, [...(this.#open.get(key) ?? []), job.idempotencyKey])
  }

  // The egress

  #work(): void {
    for (const [index, partition] of this.#partitions.entries()) {
      if (this.#random() < this.#faults.restart) this.#restart(index)
      const { place } = partition
      if (place === null) continue
      this.#partitions[index]!.sweep({ now: this.#now, roll: this.#random() })
      this.#collectDead(index)
      for (;;) {
        const work = this.#partitions[index]!.take(this.#now, `secret-${this.#result.attempts}`)
        if (work === null) break
        this.#start(index, work, place.plan.config)
      }
    }
    this.#speakLate()
    this.#result.overLimit = Math.max(this.#result.overLimit, this.#flights.length - this.#limit)
  }

  #start(partition: number, work: Work, { ordering, timeout }: ConcurrencyManagerConfig): void {
    this.#result.attempts++
    const waiting = this.#open.get(this.#accepted.get(work.idempotencyKey)!.key) ?? []
    const place = waiting.indexOf(work.idempotencyKey)
    if (ordering === 'per-key' && place > 0) this.#result.outOfOrder++
    const verdict = this.#verdict()
    const takes = verdict === null ? timeout : 1 + Math.floor(this.#random() * WORK_MS)
    this.#flights.push({ partition, work, endsAt: this.#now + takes, verdict })
  }

  #verdict(): Verdict | null {
    const { retry, dead, silent, egressDown } = this.#faults
    const roll = this.#random()
    if (roll < retry) return { is: 'retry', error: 'no', retryAfterMs: 0, targetDown: this.#random() < 0.3 }
    if (roll < retry + dead) return { is: 'dead', error: 'never' }
    if (roll < retry + dead + silent) return null
    if (roll < retry + dead + silent + egressDown) return { is: 'egress-down', error: 'nobody' }
    return { is: 'done' }
  }

  #land(): void {
    const ended = this.#flights.filter(({ endsAt }) => endsAt <= this.#now)
    this.#flights = this.#flights.filter(({ endsAt }) => endsAt > this.#now)
    for (const flight of ended) {
      const { partition, work, verdict } = flight
      if (verdict === null) this.#silent.push(flight)
      else if (!this.#settle(partition, work.token, verdict)) this.#result.refusedLate++
      else if (verdict.is === 'done') this.#finish(work.idempotencyKey, 'done')
    }
  }

  /** Whoever fell silent speaks up after the lease has ended, and must not be heard. */
  #speakLate(): void {
    const late = this.#silent.filter(({ work }) => work.leaseUntil < this.#now)
    this.#silent = this.#silent.filter(({ work }) => work.leaseUntil >= this.#now)
    for (const { partition, work } of late) {
      if (this.#settle(partition, work.token, { is: 'done' })) throw new Error('a lost lease was honoured')
      this.#result.refusedLate++
    }
  }

  #settle(partition: number, token: string, verdict: Verdict): boolean {
    return this.#partitions[partition]!.settle(token, verdict, { now: this.#now, roll: this.#random() })
  }

  #collectDead(index: number): void {
    const known = this.#deadSeen[index] ?? 0
    const letters = this.#storages[index]!.dead(Number.MAX_SAFE_INTEGER, 50).filter(({ n }) => n > known)
    for (const letter of letters) this.#finish(letter.idem, 'dead')
    this.#deadSeen[index] = letters[0]?.n ?? known
  }

  #restart(index: number): void {
    this.#partitions[index] = new Partition(this.#storages[index]!)
    // What it was waiting for goes on at the target until its end; nobody listens.
    this.#flights = this.#flights.map((flight) => (flight.partition === index ? { ...flight, verdict: null } : flight))
    this.#result.restarts++
  }

  #finish(idem: string, how: 'done' | 'dead'): void {
    const before = this.#finished.get(idem)
    if (before === undefined) this.#result[how]++
    else this.#result.finishedTwice++
    this.#finished.set(idem, how)
    const key = this.#accepted.get(idem)?.key
    if (key !== undefined)
      this.#open.set(
        key,
        (this.#open.get(key) ?? []).filter((other) => other !== idem),
      )
  }

  // Time

  #leftOver(): boolean {
    return this.#flights.length > 0 || this.#partitions.some(({ depth, active }) => depth + active > 0)
  }

  #skipAhead(): void {
    const moments = this.#partitions.map((partition) => partition.nextDueAt(this.#now)).filter((at) => at !== null)
    if (moments.length > 0) this.#now = Math.max(this.#now, Math.min(...moments, this.#now + 1_000))
  }

  #partition(index: number): Partition {
    while (this.#partitions.length <= index) {
      const storage = new PartitionStorage(sqliteInMemory())
      this.#storages.push(storage)
      this.#partitions.push(new Partition(storage))
    }
    return this.#partitions[index]!
  }
}

/** Any spread will do here; the router takes SHA-256. */
function virtualOf(key: string): number {
  let sum = 7
  for (const character of key) sum = (sum * 31 + character.charCodeAt(0)) % 65_521
  return sum % VIRTUAL_PARTITIONS
}
