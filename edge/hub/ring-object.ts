// Keeps a project's ring, and leads from one ring to the next: every shard hands on a bounded number at a time what the new
// ring gives to others, until nothing is left. Only then is the new ring the ring. A shard that was given up is asked again
// and again, so that what it keeps arrives when it answers.
import { DurableObject } from 'cloudflare:workers'
import { systemClock } from '#shared/clock.ts'
import { allShards, type RingView, shardNames } from './core/ring.ts'
import { MOVE_PAUSE_MS } from './core/tuning.ts'
import { firstShards, type HubEnv } from './env.ts'
import type { RingChange, RingRpc, RingStatus } from './rpc.ts'
import { shardOf, warn, withinTime } from './shard.ts'

/** A shard that was given up is asked again this much later. */
const LEFTOVER_RETRY_MS = 30_000

type Kept = RingStatus & { project: string; leftover: string[] }

export class HubRingObject extends DurableObject<HubEnv> implements RingRpc {
  async view(project: string): Promise<RingView> {
    return this.#read(project).view
  }

  async status(project: string): Promise<RingStatus> {
    const { view, progress } = this.#read(project)
    return { view, progress }
  }

  async change(project: string, { shards, failed }: RingChange): Promise<RingStatus | null> {
    const kept = this.#read(project)
    if (kept.view.next !== null) return null
    const view: RingView = { ...kept.view, version: kept.view.version + 1, next: [...new Set(shards)], failed }
    const progress = Object.fromEntries(allShards(view).map((shard) => [shard, { moved: 0, remaining: null }]))
    this.#write({ ...kept, view, progress })
    await this.ctx.storage.setAlarm(systemClock.now() + MOVE_PAUSE_MS)
    return { view, progress }
  }

  override async alarm(): Promise<void> {
    const kept = this.#read('')
    const { view } = kept
    if (view.next === null) return this.#collect(kept)
    const live = allShards(view).filter((shard) => !view.failed.includes(shard))
    const left = await Promise.all(live.map((shard) => this.#moveOn(kept, shard)))
    if (left.some((remaining) => remaining !== 0)) {
      this.#write(kept)
      await this.ctx.storage.setAlarm(systemClock.now() + MOVE_PAUSE_MS)
      return
    }
    kept.view = { version: view.version + 1, shards: view.next, next: null, failed: [] }
    kept.leftover = [...new Set([...kept.leftover, ...view.failed])]
    this.#write(kept)
    // Told at once; whoever does not hear it goes on sending things on, and learns it from the first who knows.
    await Promise.all(live.map((shard) => this.#moveOn(kept, shard)))
    if (kept.leftover.length > 0) await this.ctx.storage.setAlarm(systemClock.now() + MOVE_PAUSE_MS)
  }

  /** What shards keep that were given up. */
  async #collect(kept: Kept): Promise<void> {
    const left = await Promise.all(kept.leftover.map((shard) => this.#moveOn(kept, shard)))
    const open = kept.leftover.filter((_, at) => left[at] !== 0)
    this.#write({ ...kept, leftover: open })
    if (open.length === 0) return
    const isSilent = left.every((remaining) => remaining === null || remaining === 0)
    await this.ctx.storage.setAlarm(systemClock.now() + (isSilent ? LEFTOVER_RETRY_MS : MOVE_PAUSE_MS))
  }

  /** What is left there; null when it did not answer. */
  async #moveOn({ project, view, progress }: Kept, shard: string): Promise<number | null> {
    const before = progress[shard] ?? { moved: 0, remaining: null }
    try {
      const { moved, remaining } = await withinTime(shardOf(this.env, project, shard).moveOn({ project, shard, view }))
      progress[shard] = { moved: before.moved + moved, remaining }
      return remaining
    } catch (error) {
      warn('a shard did not hand anything on', { shard, error: String(error) })
      progress[shard] = { ...before, remaining: null }
      return null
    }
  }

  #read(project: string): Kept {
    const stored = this.ctx.storage.kv.get<Kept>('ring')
    const view = { version: 1, shards: shardNames(firstShards(this.env)), next: null, failed: [] }
    return stored ?? { project, view, progress: {}, leftover: [] }
  }

  #write(kept: Kept): void {
    this.ctx.storage.kv.put('ring', kept)
  }
}
