// Keeps the edge's topic streams up to Postgres. An entry is only a hint that there is something: under a lease the topic
// is sent from its durable cursor to its head, in order, whoever asks; then every entry up to there is done. An event that
// the edge refuses for good leaves a tombstone in its place, so that readers there see no hole.
import type { DeliveryEntry, EdgeCursors, EdgeStreams, TopicLease } from '#server/app/delivery-ports.ts'
import type { Outbox } from '#server/app/log-ports.ts'
import { classify, PermanentFailure } from '#server/domain/delivery/failure.ts'
import { serialise } from '#server/domain/feed/wire.ts'
import { DONE, type Handler, type Outcome, startBudget } from '../handler.ts'

const PAGE = 200
/** The cursor is written after so many events, and at the end. What is sent twice in between the edge knows by its seq. */
const CURSOR_EVERY = 50
/** Another process has the topic: what we want is probably done by then. */
const BUSY_MS = 250

type Deps = {
  outbox: Pick<Outbox, 'after'>
  cursors: EdgeCursors
  lease: TopicLease
  edge: EdgeStreams
  leaseMs: number
}
type Budget = ReturnType<typeof startBudget>
type Sent = { upTo: number; failure: unknown }

export const tombstone = (topic: number, seq: number): string => JSON.stringify({ topic, seq, gone: true })

export function createEdgeRelayHandler({ outbox, cursors, lease, edge, leaseMs }: Deps): Handler {
  /** What the edge refuses for good leaves a tombstone in its place. */
  async function send(topicId: number, seq: number, body: string, signal: AbortSignal): Promise<void> {
    try {
      await edge.send(topicId, seq, body, signal)
    } catch (error) {
      if (classify(error) !== 'permanent') throw error
      // Written down before the tombstone: whoever is told by the edge that it has this number already, finds why.
      await cursors.refuse(topicId, seq, error instanceof Error ? error.message : String(error))
      await edge.send(topicId, seq, tombstone(topicId, seq), signal)
    }
  }

  /** From the cursor to the head; stops at the first event that fails, or when the time is up. */
  async function bring(topicId: number, budget: Budget, signal: AbortSignal): Promise<Sent> {
    const sent: Sent = { upTo: (await cursors.get([topicId])).get(topicId) ?? 0, failure: null }
    let written = sent.upTo
    try {
      for (let more = true; more; ) {
        const events = await outbox.after([{ topicId, seq: sent.upTo }], PAGE)
        for (const { seq, log } of events) {
          if (budget.spent()) break
          await send(topicId, seq, serialise(log), signal)
          sent.upTo = seq
          if (sent.upTo - written >= CURSOR_EVERY) {
            await cursors.advance(topicId, sent.upTo)
            written = sent.upTo
          }
        }
        more = events.length === PAGE && !budget.spent()
      }
    } catch (error) {
      sent.failure = error
    }
    if (sent.upTo > written) await cursors.advance(topicId, sent.upTo)
    return sent
  }

  async function relay(
    topicId: number,
    entries: DeliveryEntry[],
    budget: Budget,
    signal: AbortSignal,
  ): Promise<Outcome[]> {
    const held = await lease.acquire(topicId, leaseMs)
    if (!held) {
      const upTo = (await cursors.get([topicId])).get(topicId) ?? 0
      return outcomesOf(topicId, entries, { upTo, failure: null })
    }
    try {
      return await outcomesOf(topicId, entries, await bring(topicId, budget, signal))
    } finally {
      await held.release()
    }
  }

  async function outcomesOf(topicId: number, entries: DeliveryEntry[], { upTo, failure }: Sent): Promise<Outcome[]> {
    const there = entries.filter(({ seq }) => seq <= upTo).map(({ seq }) => seq)
    const refusals = await cursors.refusals(topicId, there)
    return entries.map(({ seq }) => {
      const refusal = refusals.get(seq)
      if (refusal !== undefined) return { is: 'failed', error: new PermanentFailure(refusal) }
      if (seq <= upTo) return DONE
      return failure === null ? { is: 'later', waitMs: BUSY_MS } : { is: 'failed', error: failure }
    })
  }

  return {
    name: 'edge-relay',
    async handle(entries, signal) {
      const budget = startBudget()
      const byTopic = Map.groupBy(entries, ({ topicId }) => topicId)
      const outcomes = new Map<DeliveryEntry, Outcome>()
      for (const [topicId, those] of byTopic) {
        const results = await relay(topicId, those, budget, signal)
        those.forEach((entry, index) => {
          outcomes.set(entry, results[index]!)
        })
      }
      return entries.map((entry) => outcomes.get(entry)!)
    },
  }
}
