// What a sender does with the outcome of one attempt to ask: pure.
import type { Random } from '../clock.ts'
import type { SharedMessage } from './message.ts'
import { ANSWERS, type AnswerPayload } from './protocol.ts'
import { ASK_ATTEMPTS, ASK_BACKOFF_MS, ASK_TIMEOUT_MS, ASK_TTL_MARGIN_MS, MAX_SEEN_MS } from './tuning.ts'

/** The answer, or why there is none. */
export type Outcome = SharedMessage | 'timeout' | 'lost'

export type HubFailure = { code: string; message: string; retryable: boolean; details?: Record<string, unknown> }

export class HubError extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly details: Record<string, unknown>

  constructor({ code, message, retryable, details = {} }: HubFailure) {
    super(message)
    this.name = 'HubError'
    this.code = code
    this.retryable = retryable
    this.details = details
  }
}

export type AskDecision<Answer> =
  | { do: 'resolve'; answer: Answer }
  | { do: 'reject'; error: HubError }
  | { do: 'retry'; afterMs: number }

/** After attempt `attempt`, which counts from 1. */
export function decideAsk<Type extends 'hub:delivery_ack'>(
  outcome: Outcome,
  wanted: Type,
  { attempt, attempts, internalErrors }: { attempt: number; attempts: number; internalErrors: number },
  random: Random,
): AskDecision<AnswerPayload<Type>> {
  const last = attempt >= attempts
  const retry = (atLeastMs = 0): AskDecision<never> => ({
    do: 'retry',
    afterMs: Math.max(atLeastMs, backoffMs(attempt, random)),
  })
  if (outcome === 'timeout' || outcome === 'lost')
    return last ? reject({ code: 'timeout', message: 'The hub did not answer in time.', retryable: true }) : retry()
  if (outcome.type === wanted) {
    const parsed = ANSWERS[wanted].safeParse(outcome.payload)
    if (parsed.success) return { do: 'resolve', answer: parsed.data as AnswerPayload<Type> }
  }
  const failure = failureOf(outcome)
  const tired = failure.code === 'internal_error' && internalErrors > 1
  if (!failure.retryable || last || tired) return reject(failure)
  return retry(failure.code === 'rate_limited' ? Number(failure.details?.retryAfter ?? 0) : 0)
}

/** Twice as long each time, between half and the whole of it. */
export function backoffMs(attempt: number, random: Random): number {
  const step = ASK_BACKOFF_MS * 2 ** (attempt - 1)
  return step / 2 + (random() * step) / 2
}

/** From the first attempt to the end of the last one. */
export function askSpanMs(timeoutMs = ASK_TIMEOUT_MS, attempts = ASK_ATTEMPTS): number {
  return attempts * timeoutMs + ASK_BACKOFF_MS * (2 ** (attempts - 1) - 1)
}

/** The message must outlive every attempt, and the hub must know it for as long. */
export const askTtlMs = (timeoutMs: number, attempts: number): number =>
  Math.min(MAX_SEEN_MS, askSpanMs(timeoutMs, attempts) + ASK_TTL_MARGIN_MS)

/** Whatever was answered instead of what was wanted, as an error. */
export function failureOf({ type, payload }: Pick<SharedMessage, 'type' | 'payload'>): HubFailure {
  if (type === 'hub:error') {
    const parsed = ANSWERS['hub:error'].safeParse(payload)
    if (parsed.success) return parsed.data
  }
  if (type === 'hub:rate_limited') {
    const retryAfter = ANSWERS['hub:rate_limited'].safeParse(payload).data?.retryAfter ?? 0
    return { code: 'rate_limited', message: 'Too much at once.', retryable: true, details: { retryAfter } }
  }
  if (type === 'hub:unknown_actor')
    return { code: 'unknown_actor', message: 'This actor cannot be reached.', retryable: false }
  if (type === 'hub:unauthorized') {
    const parsed = ANSWERS['hub:unauthorized'].safeParse(payload).data
    const details = { reason: parsed?.reason ?? 'unknown' }
    return { code: 'unauthorized', message: parsed?.message ?? 'This is not allowed.', retryable: false, details }
  }
  return { code: type.replace('hub:', ''), message: `The hub answered ${type}.`, retryable: false }
}

const reject = (failure: HubFailure): AskDecision<never> => ({ do: 'reject', error: new HubError(failure) })
