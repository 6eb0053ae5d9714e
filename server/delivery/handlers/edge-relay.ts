// Keeps the edge's topic streams up to Postgres (app/bring-to-edge.ts). An entry is only a hint that there is something;
// once the topic is there, every entry up to that place is done.
import type { BringToEdge, Brought } from '#server/app/bring-to-edge.ts'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import type { EdgeCursors } from '#server/app/edge-ports.ts'
import { PermanentFailure } from '#server/domain/delivery/failure.ts'
import { DONE, type Handler, type Outcome, startBudget } from '../handler.ts'

/** Another process has the topic: what we want is probably done by then. */
const BUSY_MS = 250

type Deps = { bring: BringToEdge; cursors: Pick<EdgeCursors, 'refusals'> }

export function createEdgeRelayHandler({ bring, cursors }: Deps): Handler {
  async function outcomesOf(topicId: number, entries: DeliveryEntry[], { upTo, failure }: Brought): Promise<Outcome[]> {
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
        const results = await outcomesOf(topicId, those, await bring(topicId, { isOver: budget.spent, signal }))
        those.forEach((entry, index) => {
          outcomes.set(entry, results[index]!)
        })
      }
      return entries.map((entry) => outcomes.get(entry)!)
    },
  }
}
