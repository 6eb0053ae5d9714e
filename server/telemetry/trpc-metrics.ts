// Calls of the typed API: rate, errors and duration of each procedure. Names come from the router, so the list is closed.
import { Counter, Histogram, type Registry } from 'prom-client'

/** `refused`: the caller's doing; `failed`: ours. */
export const CALL_OUTCOMES = ['ok', 'refused', 'failed'] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]
export type CallEnded = (procedure: string, outcome: CallOutcome, seconds: number) => void

/** Fewer than for routes: there are dozens of procedures. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 5]

export function createTrpcMetrics(registry: Registry, procedures: string[]): CallEnded {
  const calls = new Counter({
    name: 'trpc_calls_total',
    help: 'Calls of the API, by procedure and outcome.',
    labelNames: ['procedure', 'outcome'] as const,
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'trpc_call_duration_seconds',
    help: 'Time that a procedure took.',
    labelNames: ['procedure'] as const,
    buckets: BUCKETS,
    registers: [registry],
  })
  for (const procedure of procedures) {
    duration.zero({ procedure })
    for (const outcome of CALL_OUTCOMES) calls.inc({ procedure, outcome }, 0)
  }
  return (procedure, outcome, seconds) => {
    calls.inc({ procedure, outcome })
    duration.observe({ procedure }, seconds)
  }
}
