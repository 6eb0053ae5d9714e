// One look at everything between the outbox and the handlers, for the console. A part that does not answer is named and
// left out; the others are shown all the same.
import { RETRY_CONFIGS } from '#server/domain/delivery/failure.ts'
import { HANDLERS, type HandlerName } from '#server/domain/delivery/handlers.ts'
import type {
  DeadLetters,
  DeliveryQueue,
  GroupState,
  ProcessBoard,
  ProcessNote,
  ScheduledWork,
  ScheduleState,
} from './delivery-ports.ts'

export type OutboxLag = { waiting: number; oldestMs: number | null }

type Deps = {
  queue: Pick<DeliveryQueue, 'group' | 'schedule' | 'memory'>
  letters: Pick<DeadLetters, 'depth'>
  board: Pick<ProcessBoard, 'all'>
  outboxLag: () => Promise<OutboxLag>
  topicNames: (ids: number[]) => Promise<Record<number, string>>
  beatAgeMs: () => number | null
  enabled: readonly HandlerName[]
  /** What this process says of itself, when the board cannot be read. */
  self: () => ProcessNote
  now: () => number
  limits: { noteTtlMs: number; scheduleShown: number; answerMs: number; beatLateMs: number }
}

/** `of`: tries that its kind of failure has. */
export type ComingTry = ScheduledWork & { topic: string; of: number }
export type Part = 'redis' | 'postgres' | 'edge' | 'webhooks'
export type DeliveryPicture = {
  at: number
  /** Parts that do not answer, or whose work is held. */
  down: Part[]
  group: GroupState | null
  schedule: (Omit<ScheduleState, 'next'> & { next: ComingTry[] }) | null
  deadLetters: number | null
  memory: { used: number; max: number; families: Record<string, number> } | null
  outbox: OutboxLag | null
  beat: { ageMs: number | null; lateMs: number }
  processes: ProcessNote[]
  handlers: {
    name: HandlerName
    enabled: boolean
    scheduled: number | null
    /** Since the running processes started, all together. */
    delivered: number
    breaker: 'off' | 'closed' | 'open' | 'probing'
    heldForMs: number | null
  }[]
}

const BREAKER_RANK = { off: 0, closed: 1, probing: 2, open: 3 } as const

export type WatchDelivery = ReturnType<typeof createWatchDelivery>

export function createWatchDelivery(deps: Deps) {
  const { queue, letters, board, limits } = deps

  /** Null when it fails or takes too long: a console that waits for what is down helps nobody. */
  async function answered<T>(work: Promise<T>): Promise<T | null> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), limits.answerMs)
    })
    try {
      // What does not answer is shown as not known, whether it fails or is late.
      return await Promise.race([work.catch(() => null), late])
    } finally {
      clearTimeout(timer)
    }
  }

  return async function picture(): Promise<DeliveryPicture> {
    const [group, schedule, deadLetters, memory, notes, outbox] = await Promise.all([
      answered(queue.group()),
      answered(queue.schedule(limits.scheduleShown)),
      answered(letters.depth()),
      answered(queue.memory()),
      answered(board.all(limits.noteTtlMs)),
      answered(deps.outboxLag()),
    ])
    const names = schedule && (await answered(deps.topicNames(schedule.next.map(({ topicId }) => topicId))))
    const processes = notes === null || notes.length === 0 ? [deps.self()] : notes
    const handlers = HANDLERS.map((name) => {
      const worst = processes
        .map(({ breakers }) => breakers[name])
        .reduce((a, b) => (BREAKER_RANK[b.phase] > BREAKER_RANK[a.phase] ? b : a))
      return {
        name,
        enabled: deps.enabled.includes(name),
        scheduled: schedule?.sizes[name] ?? null,
        delivered: processes.reduce((sum, { delivered }) => sum + delivered[name], 0),
        breaker: worst.phase,
        heldForMs: worst.forMs,
      }
    })
    // With little traffic no breaker opens: then what is held says it.
    const isHeld = (name: HandlerName) =>
      handlers.some((one) => one.name === name && (one.breaker === 'open' || one.breaker === 'probing')) ||
      (schedule?.next.some(({ handler, held }) => handler === name && held) ?? false)
    const down: Part[] = []
    if (group === null || deadLetters === null) down.push('redis')
    if (outbox === null) down.push('postgres')
    if (isHeld('edge-relay')) down.push('edge')
    if (isHeld('webhooks')) down.push('webhooks')
    return {
      at: deps.now(),
      down,
      group,
      schedule: schedule && { ...schedule, next: schedule.next.map((work) => toComingTry(work, names ?? {})) },
      deadLetters,
      memory,
      outbox,
      beat: { ageMs: deps.beatAgeMs(), lateMs: limits.beatLateMs },
      processes,
      handlers,
    }
  }
}

function toComingTry(work: ScheduledWork, names: Record<number, string>): ComingTry {
  const { deliveries } = RETRY_CONFIGS[work.type ?? 'transient']
  return { ...work, topic: names[work.topicId] ?? `topic ${work.topicId}`, of: deliveries }
}
