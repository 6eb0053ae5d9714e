// What kind of failure it was, decided by the type and code of the error and by the status of an answer, never by words
// in a message. Whatever nobody knows is worth another try.
import { z } from 'zod'

export const FAILURE_CLASSES = ['transient', 'client_crash', 'permanent'] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]
/** `trimmed`: the log was full and the entry had to leave it before its work was done. */
export const DEAD_CLASSES = [...FAILURE_CLASSES, 'trimmed'] as const
export type DeadClass = (typeof DEAD_CLASSES)[number]

export type RetryConfig = { deliveries: number; baseMs: number; factor: number; capMs: number }

/** `deliveries` counts every try, the first one too. */
export const RETRY_CONFIGS: Record<FailureClass, RetryConfig> = {
  transient: { deliveries: 5, baseMs: 1_000, factor: 2, capMs: 30_000 },
  // The receiver went away and is expected back: more tries, further apart.
  client_crash: { deliveries: 10, baseMs: 2_000, factor: 1.5, capMs: 60_000 },
  // The same request would fail again.
  permanent: { deliveries: 1, baseMs: 0, factor: 1, capMs: 0 },
}

/** Another side answered with a status that is not success. */
export class AnswerFailure extends Error {
  readonly status: number
  readonly retryAfterMs: number | null

  constructor(status: number, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'AnswerFailure'
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** The work itself is wrong: trying again cannot help. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

/** Nobody was there to take it, or they left in the middle. */
const GONE_CODES = new Set(['ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_DESTROYED'])
const TRANSIENT_STATUSES = new Set([408, 425, 429])
/** A chain of causes longer than this is a circle. */
const CAUSES_MAX = 8

export function classify(error: unknown): FailureClass {
  for (let at: unknown = error, depth = 0; isObject(at) && depth < CAUSES_MAX; at = at.cause, depth++) {
    if (at instanceof AnswerFailure) return classOfStatus(at.status)
    if (at instanceof PermanentFailure || at instanceof z.ZodError) return 'permanent'
    if (GONE_CODES.has(codeOf(at))) return 'client_crash'
  }
  return 'transient'
}

function classOfStatus(status: number): FailureClass {
  if (status >= 500 || TRANSIENT_STATUSES.has(status)) return 'transient'
  // A redirect is not followed: whoever wants the work elsewhere changes the address.
  return 'permanent'
}

/** Not only errors: what zod throws is none, and neither is what some libraries do. */
const isObject = (value: unknown): value is { cause?: unknown; code?: unknown } =>
  typeof value === 'object' && value !== null

export const codeOf = (error: unknown): string => (isObject(error) && typeof error.code === 'string' ? error.code : '')

/** How long the other side asked us to wait, if it did. */
export const askedToWaitMs = (error: unknown): number | null =>
  error instanceof AnswerFailure ? error.retryAfterMs : null
