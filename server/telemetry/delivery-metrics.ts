// Figures of delivery. Counters are this process's own; the state of the group is the same in every process (take the
// maximum, not the sum) and is read now and then, so that a scrape never waits for Redis.
import { Counter, Gauge, type Registry } from 'prom-client'
import { FAILURE_CLASSES, type FailureClass } from '#server/domain/delivery/failure.ts'
import { HANDLERS, type HandlerName } from '#server/domain/delivery/handlers.ts'

export type DeliveryFigures = {
  group: {
    pending: number
    lag: number | null
    oldestPendingMs: number | null
    consumers: { name: string; pending: number }[]
  } | null
  schedule: { sizes: Record<HandlerName, number> } | null
  deadLetters: number | null
  memory: { used: number; max: number; families: Record<string, number> } | null
  outbox: { oldestMs: number | null } | null
  beat: { ageMs: number | null }
  handlers: { name: HandlerName; breaker: string }[]
}

const MEMORY_FAMILIES = ['log', 'schedule', 'dead-letters']

export function createDeliveryMetrics(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })

  const acks = counter('delivery_acks_total', 'Pieces of work that a handler finished.', ['handler'])
  const failures = counter('delivery_failures_total', 'Tries that failed, by class of failure.', ['handler', 'class'])
  const lost = counter(
    'delivery_lost_entries_total',
    'Pending entries that were no longer in the log; rebuilt from Postgres.',
  )
  const trimmed = counter('delivery_trimmed_total', 'Unfinished work that died because the log was full.')
  const pending = gauge('sse_pel_total_pending', 'Entries given to the group and not finished.')
  const byConsumer = gauge('sse_pel_consumer_pending', 'The same by consumer.', ['consumer'])
  const oldest = gauge('sse_pel_oldest_age_seconds', 'Age of the oldest pending entry; 0 when there is none.')
  const lag = gauge('sse_stream_lag', 'Entries of the log that the group has not read.')
  const scheduled = gauge('delivery_schedule_size', 'Work that waits for its next try.', ['handler'])
  const open = gauge('delivery_breaker_open', '1 while a handler rests because its dependency is down.', ['handler'])
  const enabled = gauge('delivery_handler_enabled', '1 for a handler that is switched on.', ['handler'])
  const dead = gauge('dlq_depth', 'Dead letters.')
  const outboxLag = gauge(
    'outbox_lag_seconds',
    'Age of the oldest stored event that is not in the log; 0 when there is none.',
  )
  const beatAge = gauge('log_beat_age_seconds', 'Age of the newest beat that this process has seen in the log.')
  const memory = gauge('redis_streams_memory_bytes', 'Memory that Redis uses.')
  const memoryMax = gauge('redis_maxmemory_bytes', 'Memory that Redis may use; 0 when there is no limit.')
  const families = gauge('redis_family_memory_bytes', 'Memory of the log and of what delivery keeps, by kind.', [
    'family',
  ])

  for (const handler of HANDLERS) {
    acks.inc({ handler }, 0)
    scheduled.set({ handler }, 0)
    open.set({ handler }, 0)
    enabled.set({ handler }, 0)
    for (const failureClass of FAILURE_CLASSES) failures.inc({ handler, class: failureClass }, 0)
  }
  for (const family of MEMORY_FAMILIES) families.set({ family }, 0)

  return {
    delivered: (handler: HandlerName, count: number) => acks.inc({ handler }, count),
    failed: (handler: HandlerName, failureClass: FailureClass) => failures.inc({ handler, class: failureClass }),
    lost: (count: number) => lost.inc(count),
    trimmed: (count: number) => trimmed.inc(count),

    /** What is not known keeps its last value: an alert must not end because nobody could look. */
    show(figures: DeliveryFigures): void {
      const { group, schedule, beat, outbox } = figures
      if (group) {
        pending.set(group.pending)
        oldest.set((group.oldestPendingMs ?? 0) / 1_000)
        if (group.lag !== null) lag.set(group.lag)
        // Consumers come and go with processes; only those that exist now are shown.
        byConsumer.reset()
        for (const one of group.consumers) byConsumer.set({ consumer: one.name }, one.pending)
      }
      for (const handler of HANDLERS) if (schedule) scheduled.set({ handler }, schedule.sizes[handler])
      for (const { name, breaker } of figures.handlers) {
        open.set({ handler: name }, breaker === 'open' || breaker === 'probing' ? 1 : 0)
        enabled.set({ handler: name }, breaker === 'off' ? 0 : 1)
      }
      if (figures.deadLetters !== null) dead.set(figures.deadLetters)
      if (outbox) outboxLag.set((outbox.oldestMs ?? 0) / 1_000)
      if (beat.ageMs !== null) beatAge.set(beat.ageMs / 1_000)
      if (figures.memory) {
        memory.set(figures.memory.used)
        memoryMax.set(figures.memory.max)
        for (const [family, bytes] of Object.entries(figures.memory.families)) families.set({ family }, bytes)
      }
    },
  }
}
