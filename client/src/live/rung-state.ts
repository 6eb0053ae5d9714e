// What is known of one way of being live. Apart from its machine (rung.ts), which is loaded after the first page.
import type { CircuitBreaker } from '#shared/circuit-breaker.ts'

export type Trouble = { kind: 'status'; status: number } | { kind: 'network' | 'silent' | 'closed' | 'restarting' }

export type Link =
  | { phase: 'absent' }
  | { phase: 'down'; retryAt: number }
  | { phase: 'opening'; since: number }
  /**
   * `heardAt`: null until the first event, for an answer alone proves nothing. `beatAt`: when the log last showed that
   * it lives, as far as we were told.
   */
  | { phase: 'up'; since: number; heardAt: number | null; beatAt: number }

export type Rung = { link: Link; breaker: CircuitBreaker; attempts: number; trouble: Trouble | null; told: boolean }

export const ABSENT: Link = { phase: 'absent' }
export const NEW_RUNG: Rung = {
  link: { phase: 'down', retryAt: 0 },
  // As a breaker begins; the breaker itself comes with the machine.
  breaker: { phase: 'closed', failures: 0, notBefore: 0 },
  attempts: 0,
  trouble: null,
  told: false,
}
