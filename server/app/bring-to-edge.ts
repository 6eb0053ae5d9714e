// Brings the edge's stream of a topic up to Postgres. Level-triggered: under a lease the topic is sent from where the edge
// is to its head, in order, whoever asks and why. Where the edge is, it says itself, so one that was emptied or lost its
// tail is filled again from what the outbox keeps. An event that the edge refuses for good leaves a tombstone in its place.
import { batchLength, withdraws } from '#server/domain/delivery/edge-batches.ts'
import { classify } from '#server/domain/delivery/failure.ts'
import { serialise } from '#server/domain/feed/wire.ts'
import type { EdgeAnswer, EdgeCursors, EdgeEvent, EdgeStreams, TopicLease } from './edge-ports.ts'
import type { Outbox } from './log-ports.ts'

const PAGE = 200
/** How often one run may learn that the edge is somewhere else; more is a fight with somebody. */
const MOVES_MAX = 5

type Deps = {
  outbox: Pick<Outbox, 'after'>
  cursors: EdgeCursors
  lease: TopicLease
  edge: EdgeStreams
  leaseMs: number
  /** Whoever may no longer see the topic no longer holds it there once this has come back. */
  withdraw: (topicId: number) => Promise<void>
}

/** `isOver`: from then on nothing new is begun. */
export type BringLimits = { isOver: () => boolean; signal: AbortSignal }
/** The edge has everything up to `upTo`. Less than the head without a failure: time was up, or somebody else is at it. */
export type Brought = { upTo: number; failure: unknown }
export type BringToEdge = (topicId: number, limits: BringLimits) => Promise<Brought>

export const tombstone = (topic: number, seq: number): string => JSON.stringify({ topic, seq, gone: true })

export function createBringToEdge(deps: Deps): BringToEdge {
  const { cursors, lease, leaseMs } = deps
  return async (topicId, limits) => {
    const held = await lease.acquire(topicId, leaseMs)
    const known = (await cursors.get([topicId])).get(topicId) ?? 0
    if (!held) return { upTo: known, failure: null }
    const run = new Run(deps, topicId, known, limits)
    try {
      await run.toHead()
      return { upTo: run.at ?? 0, failure: null }
    } catch (error) {
      return { upTo: run.at ?? 0, failure: error }
    } finally {
      await held.release()
    }
  }
}

class Run {
  /** The last seq at the edge; null: none. */
  at: number | null
  readonly #deps: Deps
  readonly #topicId: number
  readonly #limits: BringLimits
  #moves = 0

  constructor(deps: Deps, topicId: number, known: number, limits: BringLimits) {
    this.#deps = deps
    this.#topicId = topicId
    this.#limits = limits
    this.at = known === 0 ? null : known
  }

  async toHead(): Promise<void> {
    while (!this.#limits.isOver()) {
      const page = await this.#deps.outbox.after([{ topicId: this.#topicId, seq: this.at ?? 0 }], PAGE)
      if (page.length === 0) return
      await this.#sendAll(page.map(({ seq, log }) => ({ seq, body: serialise(log), withdraws: withdraws(log) })))
    }
  }

  /** Ends early when the edge turns out to be somewhere else: then what it wants is another page. */
  async #sendAll(page: (EdgeEvent & { withdraws: boolean })[]): Promise<void> {
    for (let left = page; left.length > 0 && !this.#limits.isOver(); ) {
      const batch = left.slice(0, batchLength(left))
      // Before the event itself, as with the server's own connections: it names who was removed.
      if (batch[0]!.withdraws) await this.#deps.withdraw(this.#topicId)
      const sent = await this.#send(batch)
      if (sent === 0) return
      this.at = batch[sent - 1]!.seq
      await this.#deps.cursors.advance(this.#topicId, this.at)
      left = left.slice(sent)
    }
  }

  /** How many of them the edge has now. */
  async #send(batch: EdgeEvent[]): Promise<number> {
    try {
      return await this.#heard(await this.#offer(batch), batch.length)
    } catch (error) {
      if (classify(error) !== 'permanent') throw error
      const [first] = batch as [EdgeEvent]
      // One of them spoils it for all: each alone, until it is found.
      if (batch.length > 1) return this.#send([first])
      // Written down before the tombstone: whoever is told by the edge that it has this number already, finds why.
      const reason = error instanceof Error ? error.message : String(error)
      await this.#deps.cursors.refuse(this.#topicId, first.seq, reason)
      return this.#heard(await this.#offer([{ seq: first.seq, body: tombstone(this.#topicId, first.seq) }]), 1)
    }
  }

  #offer(batch: EdgeEvent[]): Promise<EdgeAnswer> {
    return this.#deps.edge.send(this.#topicId, this.at, batch, this.#limits.signal)
  }

  async #heard(answer: EdgeAnswer, count: number): Promise<number> {
    if (answer.is === 'sent') return count
    this.#moves += 1
    if (this.#moves > MOVES_MAX) throw new Error('the edge does not stay where it says it is')
    this.at = answer.is === 'missing' ? null : answer.at
    // First the note, then the stream: a crash in between leads here again.
    await this.#deps.cursors.rewind(this.#topicId, this.at ?? 0)
    if (answer.is === 'missing') await this.#deps.edge.create(this.#topicId, this.#limits.signal)
    return 0
  }
}
