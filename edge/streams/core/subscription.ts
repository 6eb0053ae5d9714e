// What a subscription is (protocol §6.2): its configuration as sent, checked and brought into one form, so that the same
// wish has the same fingerprint.
import { z } from 'zod'
import { type Refusal, refuse } from './refusal.ts'
import { isStreamId } from './route.ts'
import { isAllowedWebhook } from './webhook-url.ts'

const DEFAULT_LEASE_MS = 30_000
const MAX_STREAMS = 1_000

const path = z
  .string()
  .transform((text) => text.replace(/^\/+/, ''))
  .refine(isStreamId, 'must be a stream path')
export const pathsSchema = z.object({ streams: z.array(path).min(1).max(MAX_STREAMS) })

const configSchema = z.object({
  type: z.enum(['webhook', 'pull-wake']),
  pattern: z
    .string()
    .min(1)
    .max(512)
    .transform((text) => text.replace(/^\/+/, ''))
    .optional(),
  streams: z.array(path).max(MAX_STREAMS).optional(),
  webhook: z.object({ url: z.string().max(2_048) }).optional(),
  wake_stream: path.optional(),
  lease_ttl_ms: z.number().int().min(1_000).max(600_000).default(DEFAULT_LEASE_MS),
  description: z.string().max(1_000).optional(),
})

export type SubscriptionConfig = {
  type: 'webhook' | 'pull-wake'
  pattern: string | null
  streams: string[]
  webhookUrl: string | null
  wakeStream: string | null
  leaseMs: number
  description: string | null
}

export const ID = /^[a-zA-Z0-9_.:-]{1,128}$/

export function readConfig(input: unknown, allowLocalWebhooks: boolean): SubscriptionConfig | Refusal {
  const parsed = configSchema.safeParse(input)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return refuse(400, `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is not valid'}`)
  }
  const { type, pattern, streams, webhook, wake_stream, lease_ttl_ms, description } = parsed.data
  if (pattern === undefined && (streams === undefined || streams.length === 0))
    return refuse(400, 'pattern or streams is needed')
  if (type === 'webhook' && webhook === undefined) return refuse(400, 'webhook.url is needed')
  if (type === 'pull-wake' && wake_stream === undefined) return refuse(400, 'wake_stream is needed')
  if (webhook !== undefined && !isAllowedWebhook(webhook.url, allowLocalWebhooks))
    return {
      ...refuse(400, 'webhook.url must be a public address over https'),
      headers: { code: 'WEBHOOK_URL_REJECTED' },
    }
  return {
    type,
    pattern: pattern ?? null,
    streams: [...new Set(streams ?? [])].sort(),
    webhookUrl: type === 'webhook' ? (webhook?.url ?? null) : null,
    wakeStream: type === 'pull-wake' ? (wake_stream ?? null) : null,
    leaseMs: lease_ttl_ms,
    description: description ?? null,
  }
}

/** The same for the same wish; kept in full, so that two wishes never look alike. */
export const fingerprint = (config: SubscriptionConfig): string => JSON.stringify(config)

export const ackSchema = z.object({
  wake_id: z.string(),
  generation: z.number().int(),
  acks: z
    .array(z.object({ stream: path, offset: z.string() }))
    .max(MAX_STREAMS)
    .default([]),
  done: z.boolean().default(false),
})
export const claimSchema = z.object({ worker: z.string().min(1).max(256) })
