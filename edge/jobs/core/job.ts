// A job as it is handed in, and as a partition takes it.
import { z } from 'zod'
import type { KeyFunction } from './config.ts'
import { MAX_JOBS_PER_REQUEST, MAX_PAYLOAD_BYTES } from './tuning.ts'

export const JOB_TYPES = ['webhook'] as const
export const DEFAULT_PRIORITY = 5

const payloadText = z
  .json()
  .transform((value) => JSON.stringify(value))
  .refine((text) => new TextEncoder().encode(text).length <= MAX_PAYLOAD_BYTES, {
    message: `may have ${MAX_PAYLOAD_BYTES} bytes as JSON`,
  })

export const jobSchema = z.strictObject({
  type: z.enum(JOB_TYPES),
  key: z.string().min(1).max(256).optional(),
  payload: payloadText,
  idempotencyKey: z.string().min(1).max(128),
  priority: z.int().min(0).max(9).default(DEFAULT_PRIORITY),
  runAt: z.int().min(0).optional(),
})
export const jobsSchema = z.array(jobSchema).min(1).max(MAX_JOBS_PER_REQUEST)
/** `payload` is JSON text from here on: nobody on the way looks into it. */
export type JobInput = z.infer<typeof jobSchema>

/** With its place: fixed when it is accepted, and the same ever after. */
export type PlacedJob = JobInput & { virtual: number }

/** What is alike, for routing; a job without it is spread by its idempotency key. */
export function routingKey(job: JobInput, by: KeyFunction): string {
  const found = by === 'key' ? job.key : by === 'target-host' ? targetHost(job.payload) : undefined
  return found ?? job.idempotencyKey
}

function targetHost(payload: string): string | undefined {
  const parsed: unknown = JSON.parse(payload)
  const url = typeof parsed === 'object' && parsed !== null && 'url' in parsed ? parsed.url : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}
