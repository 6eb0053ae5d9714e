// A histogram that takes one value for many at once: what leaves in one write for a thousand readers is one observation
// with the weight of a thousand, so that measuring costs by event and not by reader.
import { Histogram, type HistogramConfiguration } from 'prom-client'

type Sample = { labels: { le?: number | string }; value: number; metricName: string }

export class WeightedHistogram extends Histogram {
  readonly #name: string
  readonly #help: string
  readonly #bounds: number[]
  readonly #counts: number[]
  #sum = 0

  constructor(config: HistogramConfiguration<never> & { buckets: number[] }) {
    super(config)
    this.#name = config.name
    this.#help = config.help
    this.#bounds = config.buckets
    // One more than bounds: what lies above the last.
    this.#counts = [...config.buckets, Number.POSITIVE_INFINITY].map(() => 0)
  }

  add(value: number, weight: number): void {
    let at = 0
    while (at < this.#bounds.length && value > this.#bounds[at]!) at++
    this.#counts[at]! += weight
    this.#sum += value * weight
  }

  override async get() {
    const values: Sample[] = []
    let total = 0
    for (const [at, count] of this.#counts.entries()) {
      total += count
      values.push({ labels: { le: this.#bounds[at] ?? '+Inf' }, value: total, metricName: `${this.#name}_bucket` })
    }
    values.push({ labels: {}, value: this.#sum, metricName: `${this.#name}_sum` })
    values.push({ labels: {}, value: total, metricName: `${this.#name}_count` })
    // The package's types leave out the names of samples that it returns itself.
    return { name: this.#name, help: this.#help, type: 'histogram', values, aggregator: 'sum' } as unknown as Awaited<
      ReturnType<Histogram['get']>
    >
  }

  /** What the registry asks for when it prints; the other one serves its JSON. */
  getForPromString() {
    return this.get()
  }
}
