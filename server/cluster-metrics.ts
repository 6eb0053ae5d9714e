// How one of several processes gets the figures of all: it asks the first process, which asks everybody and hands the
// answers back. Whoever does not answer in time is left out, and is then missing in the scrape as it should be.
import type { Worker } from 'node:cluster'
import type { GatherMetrics } from './main.ts'
import { mergeMetrics, type ProcessText } from './telemetry/merge-metrics.ts'

export type MetricsMessage =
  | { type: 'metrics-wanted'; id: number }
  | { type: 'metrics-asked'; id: string }
  | { type: 'metrics-given'; id: string; text: string }
  | { type: 'metrics-gathered'; id: number; processes: ProcessText[] }

const ANSWER_MS = 2_000

/** In the first process. `place` is the number under which a process is known. */
export function serveMetrics(workers: () => Worker[], place: (worker: Worker) => number) {
  let asked = 0
  const open = new Map<string, (text: string) => void>()

  async function textOf(worker: Worker): Promise<ProcessText[]> {
    const id = `${worker.id}.${++asked}`
    const text = await new Promise<string | null>((resolve) => {
      const late = setTimeout(() => resolve(null), ANSWER_MS)
      open.set(id, (answer) => {
        clearTimeout(late)
        resolve(answer)
      })
      send(worker, { type: 'metrics-asked', id })
    })
    open.delete(id)
    return text === null ? [] : [{ worker: place(worker), text }]
  }

  return async (from: Worker, message: MetricsMessage): Promise<void> => {
    if (message.type === 'metrics-given') open.get(message.id)?.(message.text)
    if (message.type !== 'metrics-wanted') return
    const processes = (await Promise.all(workers().map(textOf))).flat().sort((a, b) => a.worker - b.worker)
    send(from, { type: 'metrics-gathered', id: message.id, processes })
  }
}

const send = (worker: Worker, message: MetricsMessage): void => {
  // One that is on its way out hears nothing more.
  if (worker.isConnected()) worker.send(message, () => undefined)
}

/** In each of the others: answers the first process, and asks it for everybody's. */
export const gatherFromFirst: GatherMetrics = (own) => {
  let wanted = 0
  const waiting = new Map<number, (processes: ProcessText[]) => void>()
  process.on('message', async (message: MetricsMessage) => {
    if (message.type === 'metrics-asked')
      process.send?.({ type: 'metrics-given', id: message.id, text: await own() } satisfies MetricsMessage)
    if (message.type === 'metrics-gathered') waiting.get(message.id)?.(message.processes)
  })
  return async () => {
    const id = ++wanted
    const processes = await new Promise<ProcessText[]>((resolve) => {
      const late = setTimeout(() => resolve([]), 2 * ANSWER_MS)
      waiting.set(id, (answer) => {
        clearTimeout(late)
        resolve(answer)
      })
      process.send?.({ type: 'metrics-wanted', id } satisfies MetricsMessage)
    })
    waiting.delete(id)
    return processes.length > 0 ? mergeMetrics(processes) : own()
  }
}
