// One way of being live (the edge's stream, the server's) as a pure machine with its own breaker.
//   absent: this installation does not have it
//   down ─its moment, breaker admits→ opening ─opened→ up        opening or up ─broken→ down
// `up` starts with the answer's headers; only an event that arrives counts as success. Opens nothing, reads no clock.
import { type CircuitBreaker, stepBreaker } from '#shared/circuit-breaker.ts'
import { ABSENT, NEW_RUNG, type Rung, type Trouble } from './rung-state.ts'

export { ABSENT, type Link, NEW_RUNG, type Rung, type Trouble } from './rung-state.ts'

/** Waits before the breaker opens. Full jitter: a crowd that was cut together spreads over the whole wait. */
export const RECONNECT_CONFIG = { firstMs: 1_000, factor: 2, maxMs: 30_000 } as const

export type RungSignal =
  | { type: 'due'; now: number }
  | { type: 'opened'; now: number }
  | { type: 'heard'; now: number; beatAgeMs: number | null }
  | { type: 'broken'; now: number; roll: number; trouble: Trouble; retryAfterMs: number | null }
  | { type: 'cut'; now: number }
  | { type: 'hurry'; now: number }
  /** There is such a way after all, or there is none. */
  | { type: 'exists'; exists: boolean }

export type RungEffect = 'open' | 'close'
export type RungStep = { rung: Rung; effects: RungEffect[] }

const to = (rung: Rung, ...effects: RungEffect[]): RungStep => ({ rung, effects })

export function reconnectMs(attempts: number, roll: number): number {
  const { firstMs, factor, maxMs } = RECONNECT_CONFIG
  return Math.round(Math.min(firstMs * factor ** Math.max(0, attempts - 1), maxMs) * (0.5 + roll / 2))
}

export function stepRung(rung: Rung, signal: RungSignal): RungStep {
  const { link } = rung
  if (link.phase === 'absent') return to(signal.type === 'exists' && signal.exists ? NEW_RUNG : rung)
  switch (signal.type) {
    case 'due': {
      if (link.phase !== 'down' || signal.now < link.retryAt) return to(rung)
      const { state: breaker, effects } = stepBreaker(rung.breaker, { type: 'ask', now: signal.now })
      const answer = effects[0]
      if (answer?.do === 'admit') return to({ ...rung, breaker, link: { phase: 'opening', since: signal.now } }, 'open')
      const retryAt = (answer?.do === 'refuse' ? answer.until : null) ?? signal.now + RECONNECT_CONFIG.maxMs
      return to({ ...rung, breaker, link: { phase: 'down', retryAt } })
    }
    case 'opened':
      if (link.phase !== 'opening') return to(rung)
      return to({ ...rung, link: { phase: 'up', since: signal.now, heardAt: null, beatAt: signal.now } })
    case 'heard': {
      if (link.phase !== 'up') return to(rung)
      const beatAt = signal.beatAgeMs === null ? link.beatAt : signal.now - signal.beatAgeMs
      const { state: breaker } = stepBreaker(rung.breaker, { type: 'success' })
      return to({ link: { ...link, heardAt: signal.now, beatAt }, breaker, attempts: 0, trouble: null, told: false })
    }
    case 'broken':
      if (link.phase === 'down') return to(rung)
      return to(broken(rung, signal), 'close')
    case 'cut':
      // No network: nobody's failure, and no use in trying before it is back.
      if (link.phase === 'down') return to(rung)
      return to({ ...undecided(rung, signal.now), link: { phase: 'down', retryAt: signal.now } }, 'close')
    case 'exists':
      if (signal.exists) return to(rung)
      return to({ ...NEW_RUNG, link: ABSENT }, ...(link.phase === 'down' ? [] : (['close'] as const)))
    case 'hurry':
      if (link.phase !== 'down') return to(rung)
      return to({ ...rung, link: { phase: 'down', retryAt: signal.now }, breaker: willing(rung.breaker, signal.now) })
  }
}

function broken(rung: Rung, signal: Extract<RungSignal, { type: 'broken' }>): Rung {
  const { now, roll, trouble, retryAfterMs } = signal
  if (retryAfterMs !== null) {
    const until = now + retryAfterMs
    const { state: breaker } = stepBreaker(rung.breaker, { type: 'told-to-wait', until })
    return { ...rung, breaker, trouble, told: true, link: { phase: 'down', retryAt: until } }
  }
  const { state: breaker } = stepBreaker(rung.breaker, { type: 'failure', now, roll })
  const attempts = rung.attempts + 1
  const retryAt = breaker.phase === 'open' ? breaker.until : now + reconnectMs(attempts, roll)
  return { ...rung, breaker, attempts, trouble, told: false, link: { phase: 'down', retryAt } }
}

/** A probe that we cut short was neither lost nor won. Kept as spent, five of them would close the door for good. */
function undecided(rung: Rung, now: number): Rung {
  const { link, breaker } = rung
  const open = link.phase === 'opening' || (link.phase === 'up' && link.heardAt === null)
  if (!open || breaker.phase !== 'half-open') return rung
  return { ...rung, breaker: stepBreaker(breaker, { type: 'told-to-wait', until: now }).state }
}

/** A person asks for a try now: the rest is cut short, and the try still counts as a probe. */
function willing(breaker: CircuitBreaker, now: number): CircuitBreaker {
  return breaker.phase === 'open' ? { ...breaker, until: Math.min(breaker.until, now) } : breaker
}
