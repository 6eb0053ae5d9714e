// Every process follows the whole log by itself. The tail frames each entry once, keeps it in the ring, and hands it to
// the hub; it notices a new epoch and comes back by itself when Redis does.
import type { ActivityLog, LogEntry } from '#server/app/log-ports.ts'
import type { Log } from '#server/telemetry/logger.ts'
import type { Clock } from '#shared/clock.ts'
import type { Position } from '#shared/position.ts'
import { logFrame } from './frames.ts'
import { type Framed, Ring } from './ring.ts'

export type TailDeps = {
  log: ActivityLog
  ringBytes: number
  clock: Clock
  logger: Log
  /** Runs once before reading, and again after every lost connection: brings the log up to Postgres. */
  beforeFollow: () => Promise<unknown>
  onEntry: (entry: Framed) => void
  /** The log has shown that it lives. */
  onBeat: () => void
  onNewEpoch: () => void
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

const RETRY_MS = 500

export class Tail {
  readonly ring: Ring
  readonly #deps: TailDeps
  readonly #stop = new AbortController()
  #epoch: string | null = null
  #position: Position | null = null
  #lastBeatMs: number | null = null
  #running: Promise<void> = Promise.resolve()
  #following = false
  #lastOf = new Map<number, Position>()
  framed = 0

  constructor(deps: TailDeps) {
    this.#deps = deps
    this.ring = new Ring(deps.ringBytes)
  }

  /** Resolves when the ring is warm, or when the first try has failed: the tail then goes on trying by itself. */
  async start(): Promise<void> {
    await this.#warm().catch((error: unknown) => this.#report(error))
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Where this process is; null until it has seen the log. */
  get position(): Position | null {
    return this.#position
  }

  /** Whether it has heard from the log since it was last (re)connected. */
  get isFollowing(): boolean {
    return this.#following
  }

  /** Where a topic's newest entry is; null when this process has not seen one. */
  lastOf(topicId: number): Position | null {
    return this.#lastOf.get(topicId) ?? null
  }

  get beatAgeMs(): number | null {
    return this.#lastBeatMs === null ? null : Math.max(0, this.#deps.clock.now() - this.#lastBeatMs)
  }

  async #warm(): Promise<void> {
    await this.#deps.beforeFollow()
    const { epoch, entries, complete, end } = await this.#deps.log.recent(this.#deps.ringBytes)
    if (epoch !== this.#epoch) {
      const first = this.#epoch === null
      this.#epoch = epoch
      this.#position = { epoch, ms: 0, n: 0 }
      this.#lastOf = new Map()
      const oldest = entries[0]?.position
      this.ring.reset(complete || !oldest ? null : { epoch, ms: oldest.ms, n: oldest.n - 1 })
      for (const entry of entries) this.#accept(entry, false)
      if (!first) this.#deps.onNewEpoch()
    }
    this.#position ??= end
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        if (this.#epoch === null) await this.#warm()
        await this.#deps.log.follow(this.#position, signal, (entries) => {
          this.#following = true
          for (const entry of entries) {
            if (entry.position.epoch !== this.#epoch) throw new Error('the log has a new epoch')
            this.#accept(entry, true)
          }
        })
      } catch (error) {
        this.#following = false
        if (signal.aborted) return
        this.#report(error)
        await this.#deps.wait(RETRY_MS, signal)
        await this.#warm().catch((failure: unknown) => this.#report(failure))
      }
    }
  }

  #accept(entry: LogEntry, live: boolean): void {
    this.#position = entry.position
    if (entry.kind === 'beat') {
      this.#lastBeatMs = entry.position.ms
      if (live) this.#deps.onBeat()
      return
    }
    this.framed += 1
    const { position, topicId, kind, data } = entry
    this.#lastOf.set(topicId, position)
    const framed: Framed = { position, topicId, kind, data, frame: logFrame(entry) }
    this.ring.push(framed)
    if (live) this.#deps.onEntry(framed)
  }

  #report(error: unknown): void {
    this.#deps.logger.warn({ err: error }, 'the log is out of reach, trying again')
  }
}
