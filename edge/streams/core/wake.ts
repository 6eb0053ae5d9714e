// The life of a subscription's wakes (protocol §7): decides who may work on it and when it is woken again; sends nothing.
//   idle ─work→ held (webhook) or offered (pull) ─claim→ held ─done, release, lease over→ idle
//   held (webhook) ─delivery failed→ idle until `retryAtMs`
// Each wake has the next generation and an id of its own; whoever comes with another one is fenced off.

export type Delivery = 'webhook' | 'pull-wake'

export type Wake =
  | { phase: 'idle'; generation: number; failures: number; retryAtMs: number | null }
  | { phase: 'offered'; generation: number; wakeId: string }
  | { phase: 'held'; generation: number; wakeId: string; holder: string; leaseUntilMs: number; failures: number }

export type WakeSignal =
  /** There is work, as far as is known; also the moment to look at the clock. */
  | { type: 'work'; nowMs: number; wakeId: string }
  | { type: 'claim'; nowMs: number; wakeId: string; worker: string; pending: boolean }
  | { type: 'heartbeat'; nowMs: number }
  | { type: 'done' }
  | { type: 'failed'; nowMs: number; roll: number }
  | { type: 'tick'; nowMs: number }

export type WakeEffect =
  | { do: 'deliver' }
  | { do: 'announce' }
  | { do: 'refuse'; code: 'ALREADY_CLAIMED' | 'NO_PENDING_WORK' }
export type WakeStep = { wake: Wake; effects: WakeEffect[] }
export type WakeRules = { delivery: Delivery; leaseMs: number }

export const ASLEEP: Wake = { phase: 'idle', generation: 0, failures: 0, retryAtMs: null }

const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = 60_000
const RETRY_JITTER = 0.2
export const WEBHOOK_HOLDER = 'webhook'

const to = (wake: Wake, ...effects: WakeEffect[]): WakeStep => ({ wake, effects })
const idle = (generation: number): Wake => ({ phase: 'idle', generation, failures: 0, retryAtMs: null })

/** 1 s, 2 s, 4 s … 60 s, each up to a fifth longer or shorter. */
export function retryInMs(failures: number, roll: number): number {
  const base = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS)
  return Math.round(base * (1 + RETRY_JITTER * (2 * roll - 1)))
}

export function stepWake(wake: Wake, signal: WakeSignal, rules: WakeRules): WakeStep {
  switch (signal.type) {
    case 'work':
      return woken(wake, signal, rules)
    case 'claim':
      return claimed(wake, signal, rules)
    case 'heartbeat':
      return to(wake.phase === 'held' ? { ...wake, leaseUntilMs: signal.nowMs + rules.leaseMs } : wake)
    case 'done':
      return to(wake.phase === 'held' ? idle(wake.generation) : wake)
    case 'failed': {
      if (wake.phase !== 'held') return to(wake)
      const failures = wake.failures + 1
      const retryAtMs = signal.nowMs + retryInMs(failures, signal.roll)
      return to({ phase: 'idle', generation: wake.generation, failures, retryAtMs })
    }
    case 'tick':
      return to(wake.phase === 'held' && signal.nowMs >= wake.leaseUntilMs ? idle(wake.generation) : wake)
  }
}

function woken(wake: Wake, { nowMs, wakeId }: WakeSignal & { type: 'work' }, rules: WakeRules): WakeStep {
  if (wake.phase !== 'idle' || (wake.retryAtMs !== null && nowMs < wake.retryAtMs)) return to(wake)
  const generation = wake.generation + 1
  if (rules.delivery === 'pull-wake') return to({ phase: 'offered', generation, wakeId }, { do: 'announce' })
  const leaseUntilMs = nowMs + rules.leaseMs
  const { failures } = wake
  return to({ phase: 'held', generation, wakeId, holder: WEBHOOK_HOLDER, leaseUntilMs, failures }, { do: 'deliver' })
}

function claimed(wake: Wake, signal: WakeSignal & { type: 'claim' }, rules: WakeRules): WakeStep {
  const { nowMs, worker, pending } = signal
  if (wake.phase === 'held' && nowMs < wake.leaseUntilMs) return to(wake, { do: 'refuse', code: 'ALREADY_CLAIMED' })
  if (wake.phase !== 'offered' && !pending) return to(wake, { do: 'refuse', code: 'NO_PENDING_WORK' })
  const [generation, wakeId] =
    wake.phase === 'offered' ? [wake.generation, wake.wakeId] : [wake.generation + 1, signal.wakeId]
  return to({ phase: 'held', generation, wakeId, holder: worker, leaseUntilMs: nowMs + rules.leaseMs, failures: 0 })
}

/** Whether a request of a worker speaks of the wake that is under way. */
export const isCurrent = (wake: Wake, generation: unknown, wakeId: unknown): boolean =>
  wake.phase === 'held' && wake.generation === generation && wake.wakeId === wakeId

/** When to look again although nothing happened; null for never. */
export function nextLookMs(wake: Wake): number | null {
  if (wake.phase === 'held') return wake.leaseUntilMs
  return wake.phase === 'idle' ? wake.retryAtMs : null
}
