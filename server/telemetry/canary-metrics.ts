// Figures of the canary: how long it takes, when it last came through, where it fails.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const STAGES = ['publish', 'receive'] as const
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

/** `startedMs`: until it has come through once, its age is that of the process. */
export function createCanaryMetrics(registry: Registry, startedMs: number) {
  const registers = [registry]
  const runs = new Counter({ name: 'canary_runs_total', help: 'Times that the canary was sent.', registers })
  const latency = new Histogram({
    name: 'canary_latency_seconds',
    help: 'From publishing the canary to its receipt from the log.',
    buckets: BUCKETS,
    registers,
  })
  const last = new Gauge({
    name: 'canary_last_success_timestamp_seconds',
    help: 'When the canary of this process last came through.',
    registers,
  })
  const failures = new Counter({
    name: 'canary_failures_total',
    help: 'Canaries that did not come through, by where they ended.',
    labelNames: ['stage'] as const,
    registers,
  })
  last.set(startedMs / 1_000)
  for (const stage of STAGES) failures.inc({ stage }, 0)
  return {
    ran: () => runs.inc(),
    came(seconds: number, nowMs: number) {
      latency.observe(seconds)
      last.set(nowMs / 1_000)
    },
    failed: (stage: (typeof STAGES)[number]) => failures.inc({ stage }),
  }
}
