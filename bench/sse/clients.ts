// The simulated browsers of a benchmark, over several processes: opened, measured, dropped, and brought back together.
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Histogram } from './histogram.ts'

export type LoadOptions = {
  port: number
  path: string
  /** Cookie headers, dealt out in turn. */
  cookies: string[]
  protocol: 'sse' | 'socketio'
  /** 127.0.0.1 … 127.0.0.n: an address has only so many ports. */
  localAddresses: number
  /** Keep the last position and resume from it. */
  resume: boolean
  /** How many marks make a browser whole after a return. */
  whole: number
}
export type LoadCommand =
  | { type: 'begin'; options: LoadOptions }
  | { type: 'connect'; from: number; to: number; perSecond: number }
  | { type: 'measure'; on: boolean }
  | { type: 'drop' }
  | { type: 'return'; whole: number }
  | { type: 'report'; id: number }
export type LoadReport = {
  open: number
  delivered: number
  repeated: number
  refused: number
  attempts: number
  least: number
  whole: number
  latency: number[]
}

const LOOK_MS = 50

export class Clients {
  readonly #processes: ChildProcess[]
  readonly #count: number
  #asked = 0

  constructor(count: number, options: Partial<LoadOptions> & { port: number; path: string }, processes = 1) {
    const all: LoadOptions = { cookies: [], protocol: 'sse', localAddresses: 1, resume: false, whole: 0, ...options }
    this.#count = count
    this.#processes = Array.from({ length: processes }, () =>
      fork(fileURLToPath(new URL('load-process.ts', import.meta.url))),
    )
    // Not by its environment: the cookies of thousands of people are too long for one.
    this.#tellAll({ type: 'begin', options: all })
  }

  /** Resolves when all are open. */
  async connect(perSecond: number): Promise<void> {
    const share = Math.ceil(this.#count / this.#processes.length)
    this.#processes.forEach((child, index) => {
      const to = Math.min(this.#count, (index + 1) * share)
      this.#tell(child, { type: 'connect', from: index * share, to, perSecond: perSecond / this.#processes.length })
    })
    // A busy machine opens them slower than asked for.
    await this.until(({ open }) => open === this.#count, 60_000 + (2_000 * this.#count) / perSecond)
  }

  measure(on: boolean): void {
    this.#tellAll({ type: 'measure', on })
  }

  drop(): void {
    this.#tellAll({ type: 'drop' })
  }

  /** `whole`: how many marks each must have in the end. */
  comeBack(whole: number): void {
    this.#tellAll({ type: 'return', whole })
  }

  async until(test: (report: LoadReport) => boolean, limitMs = 180_000): Promise<LoadReport> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const report = await this.report()
      if (test(report)) return report
      if (performance.now() > deadline)
        throw new Error(`still not after ${limitMs} ms: ${JSON.stringify({ ...report, latency: [] })}`)
      await wait(LOOK_MS)
    }
  }

  async report(): Promise<LoadReport> {
    const reports = await Promise.all(this.#processes.map((child) => this.#ask(child)))
    const latency = new Histogram()
    for (const one of reports) latency.merge(new Histogram(one.latency))
    const sum = (key: 'open' | 'delivered' | 'repeated' | 'refused' | 'attempts' | 'whole') =>
      reports.reduce((total, report) => total + report[key], 0)
    return {
      open: sum('open'),
      delivered: sum('delivered'),
      repeated: sum('repeated'),
      refused: sum('refused'),
      attempts: sum('attempts'),
      whole: sum('whole'),
      least: Math.min(...reports.map(({ least }) => least)),
      latency: [...latency.counts],
    }
  }

  stop(): void {
    for (const child of this.#processes) child.kill('SIGKILL')
  }

  #ask(child: ChildProcess): Promise<LoadReport> {
    const id = ++this.#asked
    return new Promise((resolve) => {
      const hear = (message: { id: number; report: LoadReport }) => {
        if (message.id !== id) return
        child.off('message', hear)
        resolve(message.report)
      }
      child.on('message', hear)
      this.#tell(child, { type: 'report', id })
    })
  }

  #tellAll(command: LoadCommand): void {
    for (const child of this.#processes) this.#tell(child, command)
  }

  #tell(child: ChildProcess, command: LoadCommand): void {
    child.send(command)
  }
}
