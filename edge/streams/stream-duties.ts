// What one stream owes to other objects, and its one alarm. A duty is written down in the transaction that causes it and
// repeated until it is done, so that no crash leaves a fork's claim, the project's list or a subscription behind.
import { systemClock } from '#shared/clock.ts'
import { splitObjectName } from './core/route.ts'
import { DUTY_RETRY_MS, FORK_CLAIM_MS } from './core/tuning.ts'
import type { StreamsEnv } from './env.ts'
import type { Duty, StreamHead, StreamStorage } from './stream-storage.ts'

export class StreamDuties {
  readonly #ctx: DurableObjectState
  readonly #env: StreamsEnv
  readonly #storage: StreamStorage
  readonly #head: () => StreamHead | null
  #alarmMs: number | null = null
  /** Claims on sources whose fork is being made right now; they are not given back yet. */
  readonly #claiming = new Set<string>()

  constructor(ctx: DurableObjectState, env: StreamsEnv, storage: StreamStorage, head: () => StreamHead | null) {
    this.#ctx = ctx
    this.#env = env
    this.#storage = storage
    this.#head = head
  }

  async perform(): Promise<void> {
    const now = systemClock.now()
    for (const duty of this.#storage.duties()) {
      if (this.#claiming.has(duty.detail)) continue
      // A claim whose fork is not being made any more has no reason to stay.
      if (duty.dueMs <= now || duty.kind === 'release') await this.#perform(duty)
      else this.arm(duty.dueMs)
    }
  }

  /** Written down before the source is asked: if we die in between, the alarm gives the claim back. */
  beginClaim(source: string, forkId: string): void {
    const dueMs = systemClock.now() + FORK_CLAIM_MS
    this.#claiming.add(forkId)
    this.#storage.putDuty({ kind: 'release', target: source, detail: forkId, dueMs })
    this.arm(dueMs)
  }

  /** The fork holds its claim, or there never was one. */
  forgetClaim(source: string, forkId: string): void {
    this.#storage.removeDuty({ kind: 'release', target: source, detail: forkId })
  }

  endClaim(forkId: string): void {
    this.#claiming.delete(forkId)
  }

  /** Of a stream that ended: its place in the project's list, its claim on the source that it was forked from. */
  oweEnding(head: StreamHead, gone: boolean): void {
    const dueMs = systemClock.now()
    if (gone && head.fork !== null)
      this.#storage.putDuty({ kind: 'release', target: head.fork.source, detail: head.fork.forkId, dueMs })
    if (!head.unlisted && !head.deleted) this.#storage.putDuty({ kind: 'unlist', target: head.name, detail: '', dueMs })
  }

  /** Of a stream that a subscription of the protocol covers. */
  oweAppended(head: StreamHead): void {
    if (!head.unlisted && this.#storage.isWatched())
      this.#storage.putDuty(appendedDuty(head.name, systemClock.now() + DUTY_RETRY_MS))
  }

  /** A watched stream answers its writer after the directory has heard; if that fails, the duty stays for the alarm. */
  async tellDirectory(): Promise<void> {
    const head = this.#head()
    if (head === null || head.unlisted || !this.#storage.isWatched()) return
    await this.#perform(appendedDuty(head.name, 0))
  }

  alarmRang(): void {
    this.#alarmMs = null
  }

  /** There is one alarm: the earliest reason to wake. */
  arm(atMs: number | null): void {
    if (atMs === null || (this.#alarmMs !== null && this.#alarmMs <= atMs)) return
    this.#alarmMs = atMs
    this.#ctx.waitUntil(this.#setAlarm(atMs))
  }

  async #setAlarm(atMs: number): Promise<void> {
    // One from before we slept may be earlier.
    const known = await this.#ctx.storage.getAlarm()
    if (known === null || known > atMs) await this.#ctx.storage.setAlarm(atMs)
  }

  async #perform(duty: Duty): Promise<void> {
    try {
      await this.#tell(duty)
      this.#storage.removeDuty(duty)
    } catch (error) {
      console.warn(JSON.stringify({ message: 'duty postponed', kind: duty.kind, error: String(error) }))
      const dueMs = systemClock.now() + DUTY_RETRY_MS
      this.#storage.putDuty({ ...duty, dueMs })
      this.arm(dueMs)
    }
  }

  async #tell({ kind, target, detail }: Duty): Promise<void> {
    const head = this.#head()
    if (kind === 'release') return this.#env.STREAM_DO.getByName(target).releaseFork(detail)
    const { project, id } = splitObjectName(target)
    const directory = this.#env.DIRECTORY_DO.getByName(project)
    // Made again meanwhile: it belongs on the list.
    if (kind === 'unlist' && (head === null || head.deleted)) await directory.unlist(project, id)
    if (kind === 'appended' && head !== null) await directory.appended(project, id, head.tail)
  }
}

const appendedDuty = (name: string, dueMs: number): Duty => ({ kind: 'appended', target: name, detail: '', dueMs })
