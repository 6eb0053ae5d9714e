// What the console's small charts show: one sample of everything every few seconds, kept for an hour in the memory of each
// process. Enough to see whether something grows; for longer than that there is Prometheus.
import { HANDLERS, type HandlerName } from '#server/domain/delivery/handlers.ts'
import type { ProcessNote } from './delivery-ports.ts'
import type { DeliveryPicture } from './watch-delivery.ts'

export const GAUGES = ['pending', 'lag', 'scheduled', 'dead', 'connections', 'relayMs', 'beatMs'] as const
export type Gauge = (typeof GAUGES)[number]
export type Rates = Record<HandlerName, number>

type Sample = { at: number; gauges: Record<Gauge, number | null>; rates: Rates | null }
/** A point is the mean of its time; null where nothing was known. */
export type Trends = {
  stepMs: number
  /** When the last point ends. */
  until: number
  gauges: Record<Gauge, (number | null)[]>
  rates: Record<HandlerName, (number | null)[]>
}

const KEPT_MS = 3_600_000
const POINTS = 60

export class DeliveryTrends {
  #samples: Sample[] = []
  #last: { at: number; notes: Map<string, ProcessNote> } | null = null

  note(picture: DeliveryPicture): void {
    const { at, group, schedule, processes, outbox } = picture
    const gauges: Sample['gauges'] = {
      pending: group?.pending ?? null,
      lag: group?.lag ?? null,
      scheduled: schedule && Object.values(schedule.sizes).reduce((sum, size) => sum + size, 0),
      dead: picture.deadLetters,
      connections: processes.reduce((sum, { connections }) => sum + connections, 0),
      relayMs: outbox && (outbox.oldestMs ?? 0),
      beatMs: picture.beat.ageMs,
    }
    this.#samples.push({ at, gauges, rates: this.#ratesOf(picture) })
    const kept = this.#samples.findIndex((sample) => sample.at > at - KEPT_MS)
    if (kept > 0) this.#samples.splice(0, kept)
  }

  /** Handled per second since the sample before. By process: one that ended would otherwise take its count along. */
  #ratesOf({ at, processes }: DeliveryPicture): Rates | null {
    const before = this.#last
    const notes = new Map(processes.map((note) => [note.name, note]))
    this.#last = { at, notes }
    if (!before || at <= before.at) return null
    const seconds = (at - before.at) / 1_000
    return forEach((handler) => {
      const since = ({ name, delivered }: ProcessNote) =>
        Math.max(0, delivered[handler] - (before.notes.get(name)?.delivered[handler] ?? 0))
      return processes.reduce((sum, note) => sum + since(note), 0) / seconds
    })
  }

  get rates(): Rates | null {
    return this.#samples.at(-1)?.rates ?? null
  }

  read(minutes: number, now: number): Trends {
    const stepMs = (minutes * 60_000) / POINTS
    // Points end at round moments, so that a chart moves by whole points and does not change behind them.
    const until = Math.ceil(now / stepMs) * stepMs
    const points: Sample[][] = Array.from({ length: POINTS }, () => [])
    for (const sample of this.#samples) points[POINTS - 1 - Math.floor((until - sample.at) / stepMs)]?.push(sample)
    const means = (of: (sample: Sample) => number | null) =>
      points.map((samples) => mean(samples.map(of).filter((value) => value !== null)))
    return {
      stepMs,
      until,
      gauges: Object.fromEntries(
        GAUGES.map((gauge) => [gauge, means(({ gauges }) => gauges[gauge])]),
      ) as Trends['gauges'],
      rates: forEach((handler) => means(({ rates }) => rates?.[handler] ?? null)),
    }
  }
}

const mean = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const forEach = <T>(of: (handler: HandlerName) => T): Record<HandlerName, T> =>
  Object.fromEntries(HANDLERS.map((handler) => [handler, of(handler)])) as Record<HandlerName, T>
