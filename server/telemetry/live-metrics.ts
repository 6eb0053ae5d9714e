// Figures of the live part. What browsers report is theirs to say: it is counted, and never used for anything else.
import { Counter, Gauge, type Registry } from 'prom-client'

/** What one client saw since its last report. */
export type LossReport = { gaps: number; repeats: number; breakerOpened: number }

const POLL_STATUSES = [304, 429] as const

export function createLiveMetrics(registry: Registry, read: { connections: () => number }) {
  new Gauge({
    name: 'sse_connections_active',
    help: 'Open live connections of this process.',
    registers: [registry],
    collect() {
      this.set(read.connections())
    },
  })
  const polls = new Counter({
    name: 'polls_from_memory_total',
    help: 'Polls that were answered from memory, by status.',
    labelNames: ['status'] as const,
    registers: [registry],
  })
  for (const status of POLL_STATUSES) polls.inc({ status }, 0)
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] })
  const gaps = counter('feed_gaps_total', 'Holes in a topic that browsers saw, and filled by asking again.')
  const repeats = counter('feed_repeats_total', 'Events that browsers got more than once, and dropped.')
  const opened = counter('sse_circuit_breaker_open_total', 'Times that a browser gave up the stream for a while.')
  return {
    pollAnswered: (status: (typeof POLL_STATUSES)[number]) => polls.inc({ status }),
    lossReported(report: LossReport) {
      gaps.inc(report.gaps)
      repeats.inc(report.repeats)
      opened.inc(report.breakerOpened)
    },
  }
}
