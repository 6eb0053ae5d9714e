// What the egress answered, as one of the few things that can become of an attempt.
import { z } from 'zod'
import { MAX_ERROR_CHARS } from './tuning.ts'

const DAY_MS = 86_400_000

export const outcomeSchema = z.object({
  outcome: z.enum(['done', 'retry', 'dead']),
  retryAfterMs: z
    .number()
    .min(0)
    .transform((wait) => Math.min(wait, 7 * DAY_MS))
    .optional(),
  targetDown: z.boolean().default(false),
  error: z
    .string()
    .transform((text) => text.slice(0, MAX_ERROR_CHARS))
    .optional(),
})

export type Verdict =
  | { is: 'done' }
  | { is: 'retry'; error: string; retryAfterMs: number; targetDown: boolean }
  | { is: 'dead'; error: string }
  /** Nobody was there to do the work. */
  | { is: 'egress-down'; error: string }
  /** Nobody knows what became of it. */
  | { is: 'lease-lost' }
  /** It goes on, and is finished by its token. */
  | { is: 'accepted' }

export function verdictOf(status: number, body: unknown): Verdict {
  if (status === 202 && isAccepted(body)) return { is: 'accepted' }
  const answer = status === 200 ? outcomeSchema.safeParse(body) : null
  if (answer === null) return { is: 'egress-down', error: `the egress answered ${status}` }
  if (!answer.success) return { is: 'egress-down', error: 'the egress answered something else than an outcome' }
  return toVerdict(answer.data)
}

export function toVerdict({ outcome, retryAfterMs = 0, targetDown, error }: z.infer<typeof outcomeSchema>): Verdict {
  if (outcome === 'done') return { is: 'done' }
  if (outcome === 'dead') return { is: 'dead', error: error ?? 'given up by the origin' }
  return { is: 'retry', error: error ?? 'failed', retryAfterMs, targetDown }
}

const isAccepted = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'outcome' in body && body.outcome === 'accepted'
