// Brings entries and handlers together: what is due for whom, what is already finished, what is taken down afterwards.
// The reader of the group and the loop over the schedule both work here.
import type { DeliveryEntry, DeliveryProgress, DeliveryQueue, DueWork, Settlement } from '#server/app/delivery-ports.ts'
import { type HandlerName, type Place, placeKey } from '#server/domain/delivery/handlers.ts'
import { type Attempt, NO_ATTEMPTS } from './attempt.ts'
import type { Recorder } from './recorder.ts'

export type WorkbenchDeps = {
  queue: Pick<DeliveryQueue, 'ack' | 'settle'>
  progress: Pick<DeliveryProgress, 'finished'>
  recorder: Pick<Recorder, 'add'>
  attempts: readonly Attempt[]
  onDeadLettersFull: (count: number) => void
}

export class Workbench {
  readonly #deps: WorkbenchDeps

  constructor(deps: WorkbenchDeps) {
    this.#deps = deps
  }

  /** Entries that the group has just given to us. */
  async first(entries: DeliveryEntry[]): Promise<void> {
    const { attempts, recorder, queue } = this.#deps
    const again = entries.filter((entry) => entry.again)
    const finished = await this.#finished(again)
    const results = await Promise.all(
      attempts.map(async (attempt) => {
        const open =
          finished.size === 0 ? entries : entries.filter((entry) => !isFinished(finished, entry, attempt.name))
        return attempt.run(open.map((entry) => ({ entry, past: NO_ATTEMPTS, token: null })))
      }),
    )
    const unsettled: Settlement[] = []
    const open = new Set<DeliveryEntry>()
    for (const settlements of results) {
      const done: Place[] = []
      for (const settlement of settlements) {
        if (settlement.do === 'done') done.push(settlement.entry)
        else open.add(settlement.entry)
        // Of what came a second time something may still be scheduled or dead.
        if (settlement.do !== 'done' || settlement.entry.again) unsettled.push(settlement)
      }
      if (settlements[0]) recorder.add(settlements[0].handler, done)
    }
    await this.#settle(unsettled)
    await queue.ack(entries.flatMap((entry) => (entry.id === null || open.has(entry) ? [] : [entry.id])))
  }

  /** Work of one handler whose time has come. */
  async due(attempt: Attempt, works: DueWork[]): Promise<void> {
    const doubtful = works.filter(({ adopted }) => adopted).map(({ entry }) => entry)
    const finished = await this.#finished(doubtful)
    const known = works.filter(({ entry }) => isFinished(finished, entry, attempt.name))
    const settlements = await attempt.tryAll(works.filter((work) => !known.includes(work)))
    for (const { entry, handler, token } of known) settlements.push({ entry, handler, token, do: 'done' })
    await this.#settle(settlements)
    this.#deps.recorder.add(
      attempt.name,
      settlements.flatMap((one) => (one.do === 'done' ? [one.entry] : [])),
    )
  }

  async #settle(settlements: Settlement[]): Promise<void> {
    if (settlements.length === 0) return
    const { refused } = await this.#deps.queue.settle(settlements)
    if (refused > 0) this.#deps.onDeadLettersFull(refused)
  }

  async #finished(entries: DeliveryEntry[]): Promise<Map<string, Set<HandlerName>>> {
    return entries.length === 0 ? new Map() : this.#deps.progress.finished(entries)
  }
}

const isFinished = (finished: Map<string, Set<HandlerName>>, entry: Place, handler: HandlerName): boolean =>
  finished.get(placeKey(entry))?.has(handler) ?? false
