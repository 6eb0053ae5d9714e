// Every message type of the hub and what its payload holds. Actors send requests, the hub sends answers and notices; both
// ends check what they receive against these schemas.
import { z } from 'zod'
import { isActorAddress, isAddressPattern, isTopic } from './address.ts'
import { addressSchema, contentSchema, idSchema } from './message.ts'
import { MAX_DISCOVERED, MAX_REGISTRATION_TTL_SECONDS, MAX_TOPICS_PER_FRAME } from './tuning.ts'

const actorSchema = z.string().refine(isActorAddress, 'must be an actor’s address')
export const capabilitySchema = z.string().regex(/^[a-zA-Z0-9_.:-]{1,64}$/)
export const topicSchema = z.string().refine(isTopic, 'must be 1 to 128 letters, digits or _.:-')
const ttlSeconds = z.int().min(1).max(MAX_REGISTRATION_TTL_SECONDS)
const seq = z.int().nonnegative()
const count = z.int().nonnegative()
const tokenSchema = z.string().max(65_536)

/** What actors send, by type. */
export const REQUESTS = {
  'hub:connect': z.object({ token: tokenSchema.optional() }),
  'hub:register': z.object({
    actorAddress: actorSchema,
    capabilities: z.array(capabilitySchema).max(32).default([]),
    metadata: z.record(z.string().max(64), z.unknown()).default({}),
    ttlSeconds: ttlSeconds.optional(),
    /** Of an earlier registration: takes the address back. */
    renewalToken: z.string().max(64).optional(),
  }),
  'hub:renew': z.object({ renewalToken: z.string().max(64), ttlSeconds: ttlSeconds.optional() }),
  'hub:unregister': z.object({}),
  'hub:heartbeat': z.object({ mark: count.optional() }),
  'hub:discover': z.object({
    pattern: z.string().refine(isAddressPattern, 'must be an address, with * for any part').default('@(*/*)'),
    capability: capabilitySchema.optional(),
    limit: z.int().min(1).max(MAX_DISCOVERED).default(50),
  }),
  'hub:send': z.object({ targetAddress: addressSchema, message: contentSchema }),
  'hub:ack': z.object({ messageId: idSchema, from: addressSchema }),
  'hub:broadcast': z.object({
    message: contentSchema,
    targetCapability: capabilitySchema.optional(),
    excludeSelf: z.boolean().default(false),
  }),
  'hub:subscribe': z.object({
    topics: z
      .array(z.object({ topic: topicSchema, since: seq.optional() }))
      .min(1)
      .max(MAX_TOPICS_PER_FRAME),
    /** Rights to these topics, when the token of the connection does not name them. */
    token: tokenSchema.optional(),
  }),
  'hub:unsubscribe': z.object({ topics: z.array(topicSchema).min(1).max(MAX_TOPICS_PER_FRAME) }),
  'hub:publish': z.object({ topic: topicSchema, message: contentSchema }),
  'hub:replay': z.object({ topic: topicSchema, since: seq }),
  'hub:disconnect': z.object({ reason: z.string().max(64).optional() }),
} as const
export type RequestType = keyof typeof REQUESTS
export type RequestPayload<Type extends RequestType> = z.infer<(typeof REQUESTS)[Type]>
export const isRequestType = (type: string): type is RequestType => Object.hasOwn(REQUESTS, type)

export const actorRegistrationSchema = z.object({
  actorAddress: addressSchema,
  capabilities: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  connectionId: z.string(),
  registeredAt: z.number(),
  expiresAt: z.number(),
  version: z.int(),
})
export type ActorRegistration = z.infer<typeof actorRegistrationSchema>

/** One message of a topic: live in `hub:publish`, earlier ones in `hub:replayed`. */
export const topicEventSchema = z.object({
  topic: topicSchema,
  seq,
  id: idSchema,
  from: addressSchema,
  timestamp: z.number(),
  ttl: z.number().nullable(),
  message: z.object({ type: z.string(), payload: z.unknown() }),
})
export type TopicEvent = z.infer<typeof topicEventSchema>

export const ERROR_CODES = [
  ...['timeout', 'message_expired', 'internal_error', 'registry_full', 'invalid_message', 'too_many_topics'],
] as const
const broadcastCounts = z.object({ messageId: idSchema, deliveredCount: count, queuedCount: count, failedCount: count })

/** What the hub sends, by type. */
export const ANSWERS = {
  'hub:connected': z.object({
    connectionId: z.string(),
    actorAddress: addressSchema,
    expiresAt: z.number(),
    protocolVersion: z.string(),
  }),
  'hub:registered': z.object({
    actorAddress: addressSchema,
    expiresAt: z.number(),
    renewalToken: z.string(),
    version: z.int(),
  }),
  'hub:unregistered': z.object({ actorAddress: addressSchema }),
  'hub:heartbeat': z.object({ mark: count.optional() }),
  'hub:discovered': z.object({
    actors: z.array(actorRegistrationSchema),
    hasMore: z.boolean(),
    queriedShards: count,
    /** Some shards did not answer. */
    partial: z.boolean(),
  }),
  'hub:delivery_ack': z.object({
    messageId: idSchema,
    deliveredAt: z.number(),
    status: z.enum(['delivered', 'queued']),
  }),
  'hub:broadcast_ack': broadcastCounts,
  'hub:broadcast_done': broadcastCounts,
  'hub:subscribed': z.object({
    topics: z.array(z.object({ topic: topicSchema, lastSeq: seq })),
    refused: z.array(z.object({ topic: topicSchema, reason: z.string() })),
  }),
  'hub:unsubscribed': z.object({ topics: z.array(topicSchema), reason: z.string() }),
  'hub:publish': topicEventSchema,
  'hub:published': z.object({ topic: topicSchema, seq, duplicate: z.boolean() }),
  'hub:replayed': z.object({
    topic: topicSchema,
    events: z.array(topicEventSchema),
    /** Everything after this number is in `events` or expired; what lies before is to be had elsewhere. */
    completeSince: seq,
    lastSeq: seq,
  }),
  'hub:pause': z.object({ reason: z.string(), targetAddress: addressSchema }),
  'hub:resume': z.object({ targetAddress: addressSchema }),
  /** The close that follows, in case that its number gets lost or comes late. */
  'hub:disconnect': z.object({ reason: z.string(), code: z.int() }),
  'hub:error': z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).default({}),
    retryable: z.boolean(),
  }),
  'hub:unknown_actor': z.object({ actorAddress: addressSchema, message: z.string() }),
  'hub:message_too_large': z.object({ messageSize: count, maxSize: count }),
  'hub:rate_limited': z.object({ retryAfter: count }),
  'hub:unauthorized': z.object({ reason: z.string(), message: z.string() }),
} as const
export type AnswerType = keyof typeof ANSWERS
export type AnswerPayload<Type extends AnswerType> = z.infer<(typeof ANSWERS)[Type]>
export type ErrorCode = (typeof ERROR_CODES)[number]
export const isAnswerType = (type: string): type is AnswerType => Object.hasOwn(ANSWERS, type)
