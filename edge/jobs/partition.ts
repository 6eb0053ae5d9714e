// One partition: takes jobs in, says which goes next, and what becomes of it. Every call is one transaction of its
// storage and nothing else: no clock, no chance, no network. The object around it (partition-object.ts) calls the egress.
//   queued (delayed, ready, held, leaving) ─take→ processing ─settle→ gone | dead | queued again
import { CLOSED, stepBreaker } from '#shared/circuit-breaker.ts'
import { admitAll, marks, retryAfterMs } from './core/admission.ts'
import { answered, type EgressGate, OPEN, passableAt, passed, untold, wasDown } from './core/egress-gate.ts'
import {
  type Counter,
  completed,
  counted,
  type Figures,
  NO_RATE,
  observeProcessing,
  perSecond,
} from './core/figures.ts'
import type { PlacedJob } from './core/job.ts'
import { debtAfterTurn, laneState, rankOf } from './core/lane.ts'
import { leaseMs, leaseToken, parseLeaseToken } from './core/lease.ts'
import type { Verdict } from './core/outcome.ts'
import type { Plan } from './core/plan.ts'
import { retryDelayMs } from './core/retry.ts'
import type { PartitionStatus } from './core/status.ts'
import { heldBy, kept, stepTarget } from './core/target.ts'
import { AGEING_MS, IDEMPOTENCY_MS, MAX_DEAD_LETTERS, VIRTUAL_PARTITIONS } from './core/tuning.ts'
import { type JobState, type Lane, type NewJob, STATE, type StoredJob } from './partition-schema.ts'
import type { PartitionStorage } from './partition-storage.ts'

export type Place = { index: number; slots: number; plan: Plan }
export type Taken = 'queued' | 'duplicate' | 'slow' | 'full' | 'spill' | 'shed' | 'moved'
export type Work = {
  id: string
  idempotencyKey: string
  type: string
  attempt: number
  payload: string
  token: string
  leaseUntil: number
}
/** What chance and the outside give to one step. */
export type Step = { now: number; roll: number }

const WOKEN_AT_ONCE = 100
/** Texts of one statement stay well below what the platform takes. */
const INSERT_CHARS = 500_000
/** What was seen is forgotten in batches, not one by one. */
const FORGET_SLACK_MS = 600_000

export class Partition {
  readonly storage: PartitionStorage
  #place: Place | null
  #figures: Figures
  #waiting: number
  #active: number
  #dead: number
  readonly #released: Map<number, number>
  /** Forgotten in sleep, as they should be: they only say how soon something is tried, or how fast it went. */
  #gate: EgressGate = OPEN
  #egressOkAt = 0
  #rate = NO_RATE

  constructor(storage: PartitionStorage) {
    this.storage = storage
    this.#place = storage.get<Place>('place')
    this.#figures = completed(storage.get<Figures>('figures'))
    const { waiting, active } = storage.counts()
    this.#waiting = waiting
    this.#active = active
    this.#dead = storage.deadCount()
    this.#released = storage.released()
  }

  get place(): Place | null {
    return this.#place
  }

  get depth(): number {
    return this.#waiting
  }

  /** Nothing can be taken while it is false. */
  get hasRoom(): boolean {
    return this.#place !== null && this.#active < this.#place.slots
  }

  get active(): number {
    return this.#active
  }

  // Where it stands in the whole

  configure(place: Place, now: number): void {
    const before = this.#place
    // A message from the past: whoever decides has decided otherwise since.
    if (before !== null && before.plan.version > place.plan.version) return
    this.#place = place
    this.storage.put('place', place)
    if (before?.plan.version === place.plan.version) return
    for (const [virtual, owner] of place.plan.owners.entries()) {
      if (before === null || before.plan.owners[virtual] !== place.index || owner === place.index) continue
      const [since, ownSince] = [place.plan.since[virtual]!, before.plan.since[virtual]!]
      this.storage.addMove({ virtual, since, ownSince, taker: owner })
    }
    // A partition that is no more leaves what it remembers to those who are asked for it from now on; nobody waits for that.
    if (place.index >= place.plan.config.partitions)
      for (const [virtual, taker] of place.plan.owners.entries())
        this.storage.addMove({ virtual, since: 0, ownSince: 0, taker })
    if (before !== null && before.plan.config.ordering !== place.plan.config.ordering)
      this.storage.rerank(this.ordered, AGEING_MS)
    const virtuals = Array.from({ length: VIRTUAL_PARTITIONS }, (_, virtual) => virtual)
    this.storage.leave(virtuals.filter((virtual) => !this.runsHere(virtual)))
    const here = virtuals.filter((virtual) => this.runsHere(virtual))
    this.storage.hold(here.filter((virtual) => this.holds(virtual)))
    this.storage.unhold(
      here.filter((virtual) => !this.holds(virtual)),
      this.ordered,
    )
    for (const lane of this.storage.waitingLanes()) this.refreshLane(lane, now)
  }

  /** Whether jobs of a virtual partition are done here; without keys, anywhere but in a partition that is no more. */
  runsHere(virtual: number): boolean {
    const { plan, index } = this.#placed()
    return plan.config.routing === 'hash' ? plan.owners[virtual] === index : index < plan.config.partitions
  }

  /** Whether its former owner may still have something to do for it. */
  holds(virtual: number): boolean {
    const { plan } = this.#placed()
    return plan.config.routing === 'hash' && this.awaits(virtual)
  }

  awaits(virtual: number): boolean {
    const { plan, index } = this.#placed()
    return plan.owners[virtual] === index && this.releasedSince(virtual) < plan.since[virtual]!
  }

  releasedSince(virtual: number): number {
    return this.#released.get(virtual) ?? 0
  }

  setReleased(virtual: number, since: number): void {
    this.#released.set(virtual, since)
    this.storage.setReleased(virtual, since)
  }

  get ordered(): boolean {
    return this.#placed().plan.config.ordering === 'per-key'
  }

  // In

  /** `known`: accepted before, by the queue. It is not refused for what has changed since, only for want of room. */
  enqueue(jobs: readonly PlacedJob[], now: number, known = false): Taken[] {
    const { plan, index } = this.#placed()
    const { config } = plan
    const seen = this.storage.seenAmong(jobs.map(({ idempotencyKey }) => idempotencyKey))
    const here = new Set<string>()
    const fates = jobs.map((job): Taken | null => {
      const key = job.idempotencyKey
      if (seen.has(key) || here.has(key)) return 'duplicate'
      if (!known && !this.runsHere(job.virtual)) return 'moved'
      here.add(key)
      return null
    })
    const fresh = jobs.filter((_, at) => fates[at] === null)
    const judged = known
      ? fresh.map((_, at) => (this.#waiting + at < config.maxQueueDepth ? 'take' : 'full'))
      : admitAll(
          fresh.map(({ type }) => type),
          this.#waiting,
          config,
        )
    const admitted = fresh.filter((_, at) => judged[at] === 'take')
    let n = admitted.length === 0 ? 0 : this.storage.lastNumber()
    const stored = admitted.map((job): NewJob => {
      const dueAt = Math.max(now, job.runAt ?? 0)
      n++
      const carried = {
        ...{ id: `${index}-${n}`, idem: job.idempotencyKey, type: job.type, lane: job.key ?? '', virtual: job.virtual },
        ...{ gen: plan.since[job.virtual]!, ord: n, priority: job.priority, payload: job.payload },
        ...{ acceptedAt: dueAt, dueAt, attempts: 0 },
      }
      return { ...carried, state: this.#entryState(carried, now), rank: this.#rank(carried) }
    })
    this.store(stored, now)
    const until = now + IDEMPOTENCY_MS
    if (stored.length > 0)
      this.storage.remember(stored.map(({ idem, virtual, gen }) => ({ idem, virtual, gen, until })))

    let at = 0
    const taken = fates.map((fate): Taken => {
      if (fate !== null) return fate
      const judgement = judged[at++]!
      return judgement === 'take' ? 'queued' : judgement
    })
    const of = (fate: Taken) => taken.filter((one) => one === fate).length
    this.#count({ enqueued: of('queued'), duplicates: of('duplicate') })
    if (!known) this.#count({ rejected: of('full'), throttled: of('slow'), shed: of('shed'), spilled: of('spill') })
    return taken
  }

  /** As they come, from a caller or from another partition. */
  store(jobs: readonly NewJob[], now: number): void {
    for (const part of inParts(jobs)) this.storage.insert(part)
    this.#waiting += jobs.length
    const waiting = jobs.filter(({ state }) => state === STATE.ready || state === STATE.delayed)
    for (const lane of new Set(waiting.map((job) => job.lane))) this.refreshLane(lane, now)
  }

  entry(job: Omit<NewJob, 'state' | 'rank'>, now: number): NewJob {
    return { ...job, state: this.#entryState(job, now), rank: this.#rank(job) }
  }

  // Out

  take(now: number, secret: string): Work | null {
    if (this.#place === null || this.#active >= this.#place.slots) return null
    const passableFrom = passableAt(this.#gate)
    if (passableFrom === null || passableFrom > now) return null
    const { index, plan } = this.#place
    this.#wake(now)
    for (;;) {
      const name = this.storage.nextLane()
      if (name === null) return null
      const lane = this.storage.lane(name)!
      const head = this.storage.head(name)
      const job = head === null ? null : this.storage.job(head.n)
      if (job === null) {
        this.refreshLane(name, now)
        continue
      }
      if (now - job.acceptedAt > plan.config.retry.maxAge) {
        this.#bury(job, now, 'it waited too long')
        this.refreshLane(name, now)
        continue
      }
      const { state, effects } = stepBreaker(lane.breaker ?? CLOSED, { type: 'ask', now })
      if (effects[0]?.do !== 'admit') {
        this.refreshLane(name, now)
        continue
      }
      const token = leaseToken({ partition: index, n: job.n }, secret)
      const leaseUntil = now + leaseMs(plan.config.timeout)
      this.storage.lease(job.n, { token, now, until: leaseUntil })
      this.#waiting--
      this.#active++
      this.#gate = passed(this.#gate)
      const debt = debtAfterTurn(lane.debt, now)
      this.#putLane({ ...lane, active: lane.active + 1, debt, breaker: kept(state) }, now)
      const { id, idem, type, payload } = job
      return { id, idempotencyKey: idem, type, attempt: job.attempts + 1, payload, token, leaseUntil }
    }
  }

  /** False: the lease is no longer theirs, and what they say changes nothing. */
  settle(token: string, verdict: Verdict, { now, roll }: Step): boolean {
    const job = this.#leased(token)
    if (job === null) return false
    if (verdict.is === 'accepted') {
      this.#egressAnswered(now)
      return true
    }
    const targetDown = verdict.is === 'retry' && verdict.targetDown
    const lane = this.storage.lane(job.lane)!
    const breaker = stepTarget(lane.breaker ?? CLOSED, verdict, { now, roll })
    this.#active--
    observeProcessing(this.#figures, now - (job.startedAt ?? now))
    const suspect = job.stalledAt !== null && this.#egressOkAt > job.stalledAt
    if (verdict.is === 'egress-down') this.#gate = wasDown(this.#gate, now, roll)
    else if (verdict.is === 'lease-lost') this.#gate = untold(this.#gate, now)
    else this.#egressAnswered(now)

    if (verdict.is === 'done') {
      this.storage.remove([job.n])
      this.#rate = counted(this.#rate, now)
      this.#count({ done: 1 })
    } else if (verdict.is === 'dead') this.#fail(job, verdict.error, now)
    else {
      const error = verdict.is === 'lease-lost' ? 'its lease was lost' : verdict.error
      const free = (verdict.is === 'egress-down' && !suspect) || (targetDown && breaker.phase !== 'closed')
      if (verdict.is === 'lease-lost') this.#count({ leasesLost: 1 })
      if (!free && job.attempts >= this.#placed().plan.config.retry.maxAttempts) this.#fail(job, error, now)
      else this.#putBack(job, { error, free, verdict }, { now, roll })
    }
    this.#putLane({ ...lane, active: lane.active - 1, breaker: kept(breaker) }, now)
    return true
  }

  renew(token: string, now: number): number | null {
    const job = this.#leased(token)
    if (job === null) return null
    const until = now + leaseMs(this.#placed().plan.config.timeout)
    this.storage.prolong(job.n, until)
    return until
  }

  /** Leases that ended without a word, and what was remembered for long enough. */
  sweep(step: Step): void {
    for (const { token } of this.storage.lostLeases(step.now)) this.settle(token!, { is: 'lease-lost' }, step)
    const forgetAt = this.storage.nextForgetAt()
    if (forgetAt !== null && forgetAt + FORGET_SLACK_MS <= step.now) this.storage.forgetExpired(step.now)
  }

  /** When something is to be done that no call brings about; null: never. */
  nextDueAt(now: number): number | null {
    if (this.#place === null) return null
    const forgetAt = this.storage.nextForgetAt()
    const moments = [this.storage.nextLeaseEnd(), forgetAt === null ? null : forgetAt + FORGET_SLACK_MS]
    const passableFrom = passableAt(this.#gate)
    if (this.#active < this.#place.slots && passableFrom !== null) {
      const ready = this.storage.nextLane() === null ? this.storage.nextWake() : now
      if (ready !== null) moments.push(Math.max(ready, passableFrom, now))
    }
    const known = moments.filter((moment) => moment !== null)
    return known.length === 0 ? null : Math.min(...known)
  }

  // To look at

  status(now: number): Omit<PartitionStatus, 'rows'> {
    const { index, slots, plan } = this.#placed()
    const moves = this.storage.moves()
    const oldest = this.storage.oldest()
    return {
      ...{
        partition: index,
        version: plan.version,
        slots,
        active: this.#active,
        depth: this.#waiting,
        dead: this.#dead,
      },
      capacity: plan.config.maxQueueDepth,
      oldestAgeMs: oldest === null ? 0 : Math.max(0, now - oldest),
      donePerSecond: perSecond(this.#rate, now),
      egress: this.#gate.phase,
      arriving: plan.owners.filter((_, virtual) => this.awaits(virtual)).length,
      departing: moves.length,
      figures: this.#figures,
    }
  }

  /** When what is over the first mark will have gone. */
  retryAfterMs(now: number): number {
    const { slow } = marks(this.#placed().plan.config)
    return retryAfterMs(this.#waiting - slow + 1, perSecond(this.#rate, now))
  }

  // For operators

  drain(now: number): number {
    const drained = this.storage.removeWaiting()
    this.#waiting = 0
    this.#count({ drained })
    for (const lane of this.storage.waitingLanes()) this.refreshLane(lane, now)
    return drained
  }

  replay(ids: readonly string[], now: number): number {
    const letters = this.storage.deadByIds(ids)
    this.#unbury(letters)
    const { since } = this.#placed().plan
    const last = this.storage.lastNumber()
    const jobs = letters.map(({ n: _, failedAt: __, error: ___, ...letter }, at) =>
      this.entry(
        { ...letter, gen: since[letter.virtual]!, ord: last + 1 + at, acceptedAt: now, dueAt: now, attempts: 0 },
        now,
      ),
    )
    this.store(jobs, now)
    this.#count({ replayed: letters.length })
    return letters.length
  }

  discard(ids: readonly string[]): number {
    const letters = this.storage.deadByIds(ids)
    this.#unbury(letters)
    this.#count({ discarded: letters.length })
    return letters.length
  }

  /**
   * Handed to another partition, which has them now, and remembers them as well. If the plan has changed since, they may have come
   * back before this: they are kept, and whoever has a second copy drops it.
   */
  handedOver(jobs: readonly { n: number; idem: string }[], version: number): void {
    if (version !== this.#placed().plan.version) return
    this.storage.remove(jobs.map(({ n }) => n))
    this.storage.forget(jobs.map(({ idem }) => idem))
    this.#waiting -= jobs.length
  }

  dropHeld(virtual: number, idem: string): boolean {
    const dropped = this.storage.dropHeld(virtual, idem)
    if (dropped) this.#waiting--
    return dropped
  }

  refreshLane(name: string, now: number): void {
    this.#putLane(this.storage.lane(name) ?? { lane: name, active: 0, debt: 0, breaker: null }, now)
  }

  #putLane(lane: Lane, now: number): void {
    const { ordered } = this
    this.storage.makeReady(lane.lane, now)
    const head = this.storage.head(lane.lane)
    const nextDueAt = this.storage.nextDueAt(lane.lane)
    const heldUntil = heldBy(lane.breaker ?? CLOSED)
    const view = { head, nextDueAt, active: lane.active, debt: lane.debt, ordered, heldUntil }
    const state = laneState(view, now)
    // A target that is down is remembered for as long as it is, also when nothing waits for it.
    const remembered = state.is === 'empty' && lane.breaker?.phase === 'open' && lane.breaker.until > now
    this.storage.putLane(lane, remembered ? { is: 'asleep', wakeAt: heldUntil } : state)
  }

  #wake(now: number): void {
    for (;;) {
      const lanes = this.storage.lanesToWake(now, WOKEN_AT_ONCE)
      for (const lane of lanes) this.refreshLane(lane, now)
      if (lanes.length < WOKEN_AT_ONCE) return
    }
  }

  #leased(token: string): StoredJob | null {
    const ref = parseLeaseToken(token)
    const job = ref === null ? null : this.storage.job(ref.n)
    return job !== null && job.state === STATE.processing && job.token === token ? job : null
  }

  #putBack(job: StoredJob, how: { error: string; free: boolean; verdict: Verdict }, { now, roll }: Step): void {
    const { error, free, verdict } = how
    const { retry } = this.#placed().plan.config
    const wait = verdict.is === 'retry' ? verdict.retryAfterMs : 0
    // What was not its fault costs it neither an attempt nor its place.
    const dueAt = free ? job.dueAt : now + Math.max(retryDelayMs(retry, job.attempts, roll), wait)
    const back = { ...job, dueAt }
    this.storage.putBack(job.n, {
      ...{ state: this.#entryState(back, now), dueAt, rank: this.#rank(back), error },
      attempts: free ? job.attempts - 1 : job.attempts,
      stalledAt: verdict.is === 'egress-down' ? now : null,
    })
    this.#waiting++
    this.#count(free ? {} : { failed: 1, retries: 1 })
  }

  #fail(job: StoredJob, error: string, now: number): void {
    this.#waiting++
    this.#count({ failed: 1 })
    this.#bury(job, now, error)
  }

  /** From among those that wait. */
  #bury(job: StoredJob, now: number, error: string): void {
    this.storage.bury(job, now, error)
    this.storage.remove([job.n])
    this.#waiting--
    this.#dead++
    this.#count({ dead: 1 })
    if (this.#dead <= MAX_DEAD_LETTERS) return
    this.storage.dropOldestDead()
    this.#dead--
    this.#count({ deadDropped: 1 })
  }

  #unbury(letters: readonly { n: number }[]): void {
    this.storage.unbury(letters.map(({ n }) => n))
    this.#dead -= letters.length
  }

  #entryState({ virtual, dueAt, attempts }: Pick<StoredJob, 'virtual' | 'dueAt' | 'attempts'>, now: number): JobState {
    if (!this.runsHere(virtual)) return STATE.leaving
    if (this.holds(virtual)) return STATE.held
    // Under order a retry stays at the head of its key, which waits with it.
    return dueAt > now && !(this.ordered && attempts > 0) ? STATE.delayed : STATE.ready
  }

  #rank({ gen, dueAt, priority }: { gen: number; dueAt: number; priority: number }): number {
    return this.ordered ? gen : rankOf(dueAt, priority)
  }

  #egressAnswered(now: number): void {
    this.#gate = answered(this.#gate)
    this.#egressOkAt = now
  }

  #count(more: Partial<Record<Counter, number>>): void {
    for (const [name, by] of Object.entries(more)) this.#figures.counters[name as Counter] += by
    this.storage.put('figures', this.#figures)
  }

  #placed(): Place {
    if (this.#place === null) throw new Error('this partition was not told its place')
    return this.#place
  }
}

function inParts(jobs: readonly NewJob[]): NewJob[][] {
  const parts: NewJob[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const job of jobs) {
    if (chars + job.payload.length > INSERT_CHARS) {
      parts.push([])
      chars = 0
    }
    parts.at(-1)!.push(job)
    chars += job.payload.length
  }
  return parts
}
