// Runs one handler on some entries and says what becomes of each: done, another try, held, dead. Has the handler's breaker
// and the time limit; touches neither the queue nor the database.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempts, DeliveryEntry, Settlement } from '#server/app/delivery-ports.ts'
import { decide } from '#server/domain/delivery/decide.ts'
import { askedToWaitMs, classify, codeOf, type FailureClass } from '#server/domain/delivery/failure.ts'
import {
  admits,
  BREAKER_FAILURES,
  CLOSED_BREAKER,
  failed,
  type HandlerBreaker,
  heldForMs,
  succeeded,
} from '#server/domain/delivery/handler-breaker.ts'
import { placeKey } from '#server/domain/delivery/handlers.ts'
import type { Clock, Random } from '#shared/clock.ts'
import type { Handler, Outcome } from './handler.ts'

/** Enough to recognise a failure; bodies of answers do not belong here. */
const ERROR_MAX_CHARS = 500
const STACK_MAX_CHARS = 4_000

export type Work = { entry: DeliveryEntry; past: Attempts; token: string | null }
export type AttemptDeps = {
  handler: Handler
  timeoutMs: number
  clock: Clock
  random: Random
  /** Everything that is waited for is this much shorter. */
  pace: number
  onDone: (count: number) => void
  onFailed: (failureClass: FailureClass, error: unknown) => void
}

export const NO_ATTEMPTS: Attempts = {
  ...{ attempts: 0, type: null, error: null, stack: null, firstAt: null, lastAt: null, held: false, replays: 0 },
}

/** Nobody answered within the limit: whether it happened is not known. */
class TookTooLong extends Error {
  readonly code = 'ETIMEDOUT'
}

export class Attempt {
  readonly name: Handler['name']
  readonly #deps: AttemptDeps
  #breaker: HandlerBreaker = CLOSED_BREAKER
  /** When something was last done here. */
  #doneAt = Number.NEGATIVE_INFINITY

  constructor(deps: AttemptDeps) {
    this.#deps = deps
    this.name = deps.handler.name
  }

  /** The breaker's time, which runs at our pace. */
  #now(): number {
    return this.#deps.clock.now() * this.#deps.pace
  }

  get breaker(): { phase: HandlerBreaker['phase']; forMs: number | null } {
    return { phase: this.#breaker.phase, forMs: heldForMs(this.#breaker, this.#now()) }
  }

  /** How many pieces may be tried now; asking while it rests counts as the probe. */
  admit(wanted: number): number {
    const { state, count } = admits(this.#breaker, this.#now(), wanted, 2 * this.#deps.timeoutMs)
    this.#breaker = state
    return count
  }

  /** A probe that found no work to try it on. */
  unused(): void {
    if (this.#breaker.phase === 'probing')
      this.#breaker = { phase: 'open', openings: this.#breaker.openings, until: this.#now() }
  }

  /** Tries what the breaker admits and holds the rest. */
  async run(works: Work[]): Promise<Settlement[]> {
    const count = this.admit(works.length)
    const tried = await this.tryAll(works.slice(0, count))
    return [...tried, ...works.slice(count).map((work) => this.#hold(work))]
  }

  async tryAll(works: Work[]): Promise<Settlement[]> {
    if (works.length === 0) return []
    const outcomes = await this.#outcomes(works.map(({ entry }) => entry))
    const { random } = this.#deps
    if (outcomes.some(({ is }) => is === 'done')) {
      this.#breaker = succeeded(this.#breaker)
      this.#doneAt = this.#deps.clock.now()
    }
    // All failures first: what opens the breaker must not cost those an attempt that failed with it.
    outcomes.forEach((outcome, index) => {
      if (outcome.is !== 'failed') return
      const failureClass = classify(outcome.error)
      this.#deps.onFailed(failureClass, outcome.error)
      const place = placeKey(works[index]!.entry)
      if (failureClass !== 'permanent') this.#breaker = failed(this.#breaker, place, this.#now(), random())
    })
    // Refused for good is an answer too: whoever gives it is there.
    if (this.#breaker.phase === 'probing' && outcomes.some(({ is }) => is === 'failed'))
      this.#breaker = succeeded(this.#breaker)
    else this.unused()
    this.#deps.onDone(outcomes.filter(({ is }) => is === 'done').length)
    return works.map((work, index) => this.#settle(work, outcomes[index]!))
  }

  #settle(work: Work, outcome: Outcome): Settlement {
    const base = { entry: work.entry, handler: this.name, token: work.token }
    if (outcome.is === 'done') return { ...base, do: 'done' }
    if (outcome.is === 'later') return { ...base, do: 'schedule', waitMs: outcome.waitMs, past: work.past }
    const { clock, random } = this.#deps
    const now = clock.now()
    const failureClass = classify(outcome.error)
    const decision = decide({
      class: failureClass,
      attempts: work.past.attempts,
      heldForMs: heldForMs(this.#breaker, this.#now()),
      alive: work.past.lastAt !== null && this.#doneAt > work.past.lastAt,
      askedToWaitMs: askedToWaitMs(outcome.error),
      roll: random(),
    })
    const past: Attempts = {
      ...work.past,
      attempts: decision.do === 'hold' ? work.past.attempts : decision.attempts,
      type: failureClass,
      error: describe(outcome.error).slice(0, ERROR_MAX_CHARS),
      stack: (outcome.error instanceof Error ? (outcome.error.stack ?? '') : '').slice(0, STACK_MAX_CHARS) || null,
      firstAt: work.past.firstAt ?? now,
      lastAt: now,
      held: decision.do === 'hold',
    }
    if (decision.do === 'dead') return { ...base, do: 'dead', class: failureClass, past }
    return { ...base, do: 'schedule', waitMs: this.#paced(decision.waitMs), past }
  }

  #paced(ms: number): number {
    return Math.round(ms / this.#deps.pace)
  }

  #hold(work: Work): Settlement {
    const waitMs = this.#paced(heldForMs(this.#breaker, this.#now()) ?? 0)
    const past = { ...work.past, held: true }
    return { entry: work.entry, handler: this.name, token: work.token, do: 'schedule', waitMs, past }
  }

  async #outcomes(entries: DeliveryEntry[]): Promise<Outcome[]> {
    try {
      return await this.#limited(entries)
    } catch (error) {
      if (entries.length === 1 || error instanceof TookTooLong) return entries.map(() => ({ is: 'failed', error }))
    }
    // One of them may spoil it for all: each alone, until it looks as if none would work.
    const outcomes: Outcome[] = []
    let inRow = 0
    for (const entry of entries) {
      const last = outcomes.at(-1)
      const outcome = inRow >= BREAKER_FAILURES && last ? last : (await this.#outcomes([entry]))[0]!
      inRow = outcome.is === 'failed' ? inRow + 1 : 0
      outcomes.push(outcome)
    }
    return outcomes
  }

  async #limited(entries: DeliveryEntry[]): Promise<Outcome[]> {
    const { handler, timeoutMs } = this.#deps
    const abort = new AbortController()
    const ended = new AbortController()
    const limit = sleep(timeoutMs, undefined, { signal: ended.signal }).then(() => {
      const error = new TookTooLong(`${handler.name} took longer than ${timeoutMs} ms`)
      abort.abort(error)
      throw error
    })
    try {
      return await Promise.race([handler.handle(entries, abort.signal), limit])
    } finally {
      limit.catch(() => {
        // Ended by us, because the handler was faster.
      })
      ended.abort()
    }
  }
}

/** The error and what caused it, in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  const own = code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message
  return error.cause instanceof Error ? `${own}: ${describe(error.cause)}` : own
}
