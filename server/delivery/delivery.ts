// Delivery in one process: the loops over the consumer group and its schedule, upkeep, and what it tells of itself. The
// parts are given; what they mean together is docs/decisions/0012.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryProgress, DeliveryQueue, ProcessBoard, ProcessNote } from '#server/app/delivery-ports.ts'
import * as tuning from '#server/config/tuning.ts'
import type { FailureClass } from '#server/domain/delivery/failure.ts'
import { HANDLERS, type HandlerName } from '#server/domain/delivery/handlers.ts'
import { every, type Loop } from '#server/jobs/every.ts'
import type { Log } from '#server/telemetry/logger.ts'
import type { Clock, Random } from '#shared/clock.ts'
import { Attempt } from './attempt.ts'
import type { Handler } from './handler.ts'
import { type LoopLimits, readGroup, runSchedule } from './loops.ts'
import { Recorder } from './recorder.ts'
import { createUpkeep } from './upkeep.ts'
import { Workbench } from './workbench.ts'

/** Everything here has a default in tuning.ts; tests of faults cannot wait for minutes. */
export type DeliveryTimes = {
  pelIdleMs: number
  handlerTimeoutMs: number
  retryMs: number
  blockMs: number
  owedAgeMs: number
  adoptEveryMs: number
  owedEveryMs: number
  /** For how long one process has a topic on its way to the edge. */
  edgeLeaseMs: number
  /** Waits between tries and rests of breakers are divided by this. */
  pace: number
}

export const DELIVERY_TIMES: DeliveryTimes = {
  pelIdleMs: tuning.PEL_IDLE_TIME,
  handlerTimeoutMs: tuning.HANDLER_TIMEOUT_MS,
  retryMs: tuning.RETRY_EVERY_MS,
  blockMs: tuning.DELIVERY_BLOCK_MS,
  owedAgeMs: tuning.OWED_AGE_MS,
  adoptEveryMs: tuning.ADOPT_EVERY_MS,
  owedEveryMs: tuning.OWED_EVERY_MS,
  edgeLeaseMs: tuning.EDGE_LEASE_MS,
  pace: 1,
}

export type DeliveryMetrics = {
  delivered: (handler: HandlerName, count: number) => void
  failed: (handler: HandlerName, failureClass: FailureClass) => void
  lost: (count: number) => void
  trimmed: (count: number) => void
}

export type DeliveryDeps = {
  name: string
  queue: DeliveryQueue
  progress: DeliveryProgress
  board: ProcessBoard
  handlers: readonly Handler[]
  connections: () => number
  metrics: DeliveryMetrics
  log: Log
  clock: Clock
  random: Random
  identity: { pid: number; host: string }
  times?: Partial<DeliveryTimes>
  limits?: Partial<LoopLimits>
}

/** Of the longest try: leases outlive it, so that nobody takes what is still being worked on. */
const LEASE_FACTOR = 1.5
const START_PAUSE_MS = 1_000
/** Longer than a read waits: beyond it Redis does not answer any more. */
const STOP_PATIENCE_MS = 3_000

export type Delivery = ReturnType<typeof createDelivery>

export function createDelivery(deps: DeliveryDeps) {
  const { queue, progress, board, handlers, metrics, log, clock, random } = deps
  const times = { ...DELIVERY_TIMES, ...deps.times }
  const limits: LoopLimits = {
    ...{ batch: tuning.DELIVERY_BATCH, batches: tuning.DELIVERY_BATCHES, scheduleMax: tuning.SCHEDULE_MAX },
    ...{ blockMs: times.blockMs, retryMs: times.retryMs, leaseMs: times.handlerTimeoutMs * LEASE_FACTOR },
    ...deps.limits,
  }
  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message)
  const delivered = Object.fromEntries(HANDLERS.map((name) => [name, 0])) as Record<HandlerName, number>
  let failures = 0

  const attempts = handlers.map(
    (handler) =>
      new Attempt({
        ...{ handler, clock, random, timeoutMs: times.handlerTimeoutMs, pace: times.pace },
        onDone: (count) => {
          delivered[handler.name] += count
          metrics.delivered(handler.name, count)
        },
        onFailed: (failureClass, error) => {
          failures += 1
          metrics.failed(handler.name, failureClass)
          log.debug({ err: error, handler: handler.name, class: failureClass }, 'a try failed')
        },
      }),
  )
  const recorder = new Recorder(progress, warn('what is finished could not be written down yet'))
  const names = handlers.map(({ name }) => name)
  const bench = new Workbench({
    ...{ queue, progress, recorder, attempts },
    onDeadLettersFull: (count) => log.error({ count }, 'dead letters are full, work stays scheduled'),
  })
  const upkeep = createUpkeep({
    ...{ queue, progress, clock, handlers: names, owedAgeMs: times.owedAgeMs },
    onLost: (count) => {
      metrics.lost(count)
      log.warn({ count }, 'pending entries were no longer in the log')
    },
    onTrimmed: (count) => {
      metrics.trimmed(count)
      log.error({ count }, 'the log is full, unfinished entries became dead letters')
    },
  })

  const note = (): ProcessNote => ({
    ...{ name: deps.name, at: clock.now(), ...deps.identity, connections: deps.connections(), failed: failures },
    delivered: { ...delivered },
    breakers: Object.fromEntries(
      HANDLERS.map((name) => [
        name,
        attempts.find((attempt) => attempt.name === name)?.breaker ?? { phase: 'off', forMs: null },
      ]),
    ) as ProcessNote['breakers'],
  })

  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  let loops: Loop[] = []

  /** What handlers that no longer run have left in the schedule would hold its entries for ever. */
  async function releaseOthers(): Promise<void> {
    for (const name of HANDLERS.filter((one) => !names.includes(one))) {
      for (;;) {
        const works = await queue.take(name, limits.batch, 0)
        if (works.length === 0) break
        await queue.settle(works.map(({ entry, handler, token }) => ({ entry, handler, token, do: 'done' })))
      }
    }
  }

  async function run(): Promise<void> {
    const { signal } = stopping
    for (;;) {
      try {
        await progress.enable(names)
        await queue.ensureGroup()
        await releaseOthers()
        await board.note(note())
        break
      } catch (error) {
        if (signal.aborted) return
        warn('delivery could not start yet')(error)
        await sleep(START_PAUSE_MS, undefined, { signal }).catch(() => {
          // Told to stop: the next look at the signal ends it.
        })
        if (signal.aborted) return
      }
    }
    const onError = warn('delivery is interrupted, trying again')
    const loop = { queue, bench, attempts, limits, onError }
    await Promise.all([readGroup(loop, signal), runSchedule(loop, signal)])
  }

  return {
    upkeep,
    note,
    recorder,

    start(): void {
      running = run()
      loops = [
        every(times.adoptEveryMs, () => upkeep.adopt(times.pelIdleMs), warn('orphans not looked for')),
        every(times.owedEveryMs, upkeep.bringBackOwed, warn('owed work not looked for')),
        every(
          tuning.CLEAN_UP_MS,
          () => upkeep.removeIdleConsumers(tuning.CONSUMER_IDLE_MS),
          warn('idle consumers not removed'),
        ),
        every(tuning.PROCESS_NOTE_MS, () => board.note(note()), warn('process not noted')),
      ]
    },

    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(loops.map((loop) => loop.stop()))
      // A read that waits ends by itself, and what it brought is worked on; cut short, it would leave orphans.
      const patience = new AbortController()
      const late = sleep(STOP_PATIENCE_MS, undefined, { signal: patience.signal }).then(
        () => queue.close(),
        () => undefined,
      )
      await running
      patience.abort()
      await late
      queue.close()
      await recorder.stop()
      await board.leave(deps.name).catch(warn('process not signed off'))
    },
  }
}
