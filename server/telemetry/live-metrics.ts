// Figures of the live part. What browsers report is theirs to say: it is counted, and never used for anything else.
// Deliveries are counted by round of writes and timed by event, never by socket: fan-out is the hottest path there is.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { WeightedHistogram } from './weighted-histogram.ts'

/** What one client saw since its last report. */
export type LossReport = { gaps: number; repeats: number; breakerOpened: number }

/** How an attempt to open a stream ended. */
export const STREAM_OUTCOMES = ['opened', 'full', 'person_limit', 'deferred'] as const
export type StreamOutcome = (typeof STREAM_OUTCOMES)[number]

/** What a reader got who came with a position, or without one. */
export const RESUME_ANSWERS = ['replay', 'reset'] as const
export type ResumeAnswer = (typeof RESUME_ANSWERS)[number]

const WAYS = ['live', 'replay'] as const
const POLL_STATUSES = [304, 429] as const
/** Around the goals, 0.5 s and 1 s, with finite bounds above both. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 5, 10, 30, 60]

/** What the hub of connections says about its writes. */
export type DeliveryFigures = {
  /** One round of writes: log events that went to sockets, and those whose reader was cut for not reading. */
  wrote: (events: number, dropped: number) => void
  /** A log event left for so many readers, so long after its commit. */
  left: (seconds: number, readers: number) => void
}

export type LiveMetrics = ReturnType<typeof createLiveMetrics>

export function createLiveMetrics(registry: Registry, read: { connections: () => number; connectionsMax: number }) {
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames, registers })
  new Gauge({
    name: 'sse_connections_active',
    help: 'Open live connections of this process.',
    registers,
    collect() {
      this.set(read.connections())
    },
  })
  new Gauge({ name: 'sse_connections_max', help: 'Live connections that one process takes.', registers }).set(
    read.connectionsMax,
  )
  const opened = counter('sse_connections_total', 'Attempts to open a live connection, by outcome.', ['outcome'])
  const resumed = counter('sse_resumes_total', 'What opened connections were given first.', ['answer'])
  const attempts = counter('sse_delivery_attempts_total', 'Log events due to an open live connection.')
  const successes = counter('sse_delivery_success_total', 'Log events handed to the socket of a live connection.')
  const delivered = counter('sse_messages_delivered_total', 'Log events written, as they came or on a return.', ['way'])
  const latency = new WeightedHistogram({
    name: 'sse_delivery_latency_seconds',
    help: 'From the commit of an event to its writing to a socket, once for each reader.',
    buckets: LATENCY_BUCKETS,
    registers,
  })
  const rendered = new Histogram({
    name: 'client_render_latency_seconds',
    help: 'From the receipt of an activity in a browser to its being on screen; a sample that browsers report.',
    buckets: [0.016, 0.033, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  })
  const polls = counter('polls_from_memory_total', 'Polls that were answered from memory, by status.', ['status'])
  const gaps = counter('feed_gaps_total', 'Holes in a topic that browsers saw, and filled by asking again.')
  const repeats = counter('feed_repeats_total', 'Events that browsers got more than once, and dropped.')
  const breakers = counter('sse_circuit_breaker_open_total', 'Times that a browser gave up the stream for a while.')

  for (const status of POLL_STATUSES) polls.inc({ status }, 0)
  for (const outcome of STREAM_OUTCOMES) opened.inc({ outcome }, 0)
  for (const answer of RESUME_ANSWERS) resumed.inc({ answer }, 0)
  for (const way of WAYS) delivered.inc({ way }, 0)

  const delivery: DeliveryFigures = {
    wrote(events, dropped) {
      attempts.inc(events + dropped)
      successes.inc(events)
      delivered.inc({ way: 'live' }, events)
    },
    left: (seconds, readers) => latency.add(seconds, readers),
  }
  return {
    delivery,
    streamAsked: (outcome: StreamOutcome) => opened.inc({ outcome }),
    resumed(answer: ResumeAnswer, events: number) {
      resumed.inc({ answer })
      delivered.inc({ way: 'replay' }, events)
    },
    pollAnswered: (status: (typeof POLL_STATUSES)[number]) => polls.inc({ status }),
    lossReported(report: LossReport) {
      gaps.inc(report.gaps)
      repeats.inc(report.repeats)
      breakers.inc(report.breakerOpened)
    },
    rendered: (seconds: number) => rendered.observe(seconds),
  }
}
