// Webhooks that people set up: an address to which a topic's activities are posted, and what became of each.
import { z } from 'zod'
import { topicName } from './topic.ts'

export const ENDPOINTS_PER_PERSON_MAX = 20
export const DELIVERIES_PAGE = 30

/** Where Standard Webhooks asks secrets to begin. */
export const SECRET_PREFIX = 'whsec_'

const id = z.int().positive()

export const webhookUrl = z
  .string()
  .trim()
  .max(2_000, 'At most 2,000 characters.')
  .refine(
    (value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol),
    'Give a whole address, such as https://example.com/hooks.',
  )
  .refine((value) => {
    if (!URL.canParse(value)) return true
    const { username, password } = new URL(value)
    return username === '' && password === ''
  }, 'Leave user name and password out of the address.')
  .transform((value) => new URL(value).href.replace(/#.*$/, ''))

export const createEndpointInput = z.strictObject({ url: webhookUrl, topic: topicName })
export const endpointInput = z.strictObject({ id })
export const pauseEndpointInput = z.strictObject({ id, paused: z.boolean() })
export const deliveriesInput = z.strictObject({ endpoint: id, cursor: z.string().max(100).nullish() })
export const deliveryInput = z.strictObject({ id })

export type CreateEndpointInput = z.infer<typeof createEndpointInput>

/** `owner`: they did it. The others happen by themselves: failed for days, answered 410, the owner lost the topic. */
export type PauseReason = 'owner' | 'failing' | 'gone' | 'rights'
export type DeliveryState = 'waiting' | 'retrying' | 'delivered' | 'failed'

export type EndpointView = {
  id: number
  url: string
  /** Null: the owner may no longer see it. */
  topic: { id: number; name: string; visibility: 'public' | 'private' } | null
  createdAt: string
  paused: PauseReason | null
  failingSince: string | null
  /** States of the latest deliveries, newest last. */
  recent: DeliveryState[]
}

export type DeliveryView = {
  id: number
  messageId: string
  about: string
  activity: number | null
  state: DeliveryState
  attempts: number
  createdAt: string
  /** The latest attempt. */
  last: { at: string; status: number | null; error: string | null; tookMs: number } | null
}

export type AttemptView = {
  no: number
  at: string
  tookMs: number
  status: number | null
  error: string | null
  answer: string | null
}

/** One delivery with what was sent and everything that came back. */
export type DeliveryDetails = DeliveryView & { url: string; body: string; log: AttemptView[] }
