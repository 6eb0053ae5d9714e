// The envelope that everything travels in, and how long it is worth delivering.
import { z } from 'zod'
import { isAddress } from './address.ts'
import { MAX_FUTURE_MS } from './tuning.ts'

const ID = /^[a-zA-Z0-9_.:-]{1,128}$/

export const idSchema = z.string().regex(ID, 'must be 1 to 128 letters, digits or _.:-')
export const addressSchema = z.string().refine(isAddress, 'must be an address as @(place/name)')

export const sharedMessageSchema = z.object({
  id: idSchema,
  from: addressSchema,
  to: addressSchema,
  type: z.string().min(1).max(64),
  pattern: z.enum(['tell', 'ask']),
  correlationId: idSchema.nullable().default(null),
  /** Milliseconds since 1970 when it was made. */
  timestamp: z.int().nonnegative(),
  payload: z.unknown().default(null),
  metadata: z.record(z.string().max(64), z.unknown()).default({}),
  /** Milliseconds that it is worth delivering, from its timestamp; null: always. */
  ttl: z.int().nonnegative().nullable().default(null),
  signature: z.string().max(1_024).nullable().default(null),
})
export type SharedMessage = z.infer<typeof sharedMessageSchema>

/** What an actor wants another to get; the hub puts it into an envelope. */
export const contentSchema = z.object({
  type: z
    .string()
    .min(1)
    .max(64)
    .refine((type) => !type.startsWith('hub:'), 'types that begin with hub: are the hub’s'),
  payload: z.unknown().default(null),
})
export type Content = z.infer<typeof contentSchema>

export type Lifetime = Pick<SharedMessage, 'timestamp' | 'ttl'>

export const expiresAt = ({ timestamp, ttl }: Lifetime): number | null => (ttl === null ? null : timestamp + ttl)

export function isExpired(message: Lifetime, nowMs: number): boolean {
  const end = expiresAt(message)
  return end !== null && end < nowMs
}

export const isFromTheFuture = ({ timestamp }: Lifetime, nowMs: number): boolean => timestamp > nowMs + MAX_FUTURE_MS

type Draft = Pick<SharedMessage, 'id' | 'from' | 'to' | 'type' | 'timestamp' | 'payload'> & Partial<SharedMessage>

export const createMessage = (draft: Draft): SharedMessage => ({
  pattern: 'tell',
  correlationId: null,
  metadata: {},
  ttl: null,
  signature: null,
  ...draft,
})

/** Of a request's metadata, what its answers carry along. */
export function traceOf({ metadata }: Pick<SharedMessage, 'metadata'>): Record<string, unknown> {
  const { traceId, spanId } = metadata
  return { ...(traceId === undefined ? {} : { traceId }), ...(spanId === undefined ? {} : { spanId }) }
}
