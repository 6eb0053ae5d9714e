// What webhooks need from the world: endpoints and deliveries (Postgres), the job partitions that say when to try (the
// edge), and the one door through which a request leaves (server/egress).
import type { AttemptView, DeliveryDetails, DeliveryView, EndpointView, PauseReason } from '#shared/webhook.ts'

export type NewEndpoint = { ownerId: string; topicId: number; url: string; salt: string; at: Date }

/** What is posted about one activity, to each endpoint of its topic. */
export type Message = {
  topicId: number
  messageId: string
  type: 'activity' | 'activity.edited' | 'activity.deleted'
  activityId: number
  no: number
  body: string
}

/** A delivery that the job partitions must be told of. `host` is the target: one partition has all of a host. */
export type OpenDelivery = { id: number; run: number; host: string }

/** Everything that one try needs. */
export type Due = {
  id: number
  run: number
  /** Made in this run. */
  attempts: number
  messageId: string
  body: string
  endpoint: {
    id: number
    ownerId: string
    url: string
    salt: string
    paused: boolean
    mayView: boolean
    failingSince: Date | null
  }
  delivered: boolean
}

export type Attempt = Omit<AttemptView, 'no' | 'at'> & { at: Date }

export type WebhookStore = {
  /** Null when the owner has `max` already. */
  create: (endpoint: NewEndpoint, max: number) => Promise<EndpointView | null>
  list: (owner: string) => Promise<EndpointView[]>
  /** Null when the owner has no such endpoint. */
  find: (owner: string, id: number) => Promise<EndpointView | null>
  remove: (owner: string, id: number) => Promise<boolean>
  /** Null reason: it goes on, with a clean slate. False when there is no such endpoint. */
  pause: (id: number, reason: PauseReason | null, at: Date) => Promise<boolean>
  reseal: (owner: string, id: number, salt: string) => Promise<boolean>
  /** Endpoints of the owner that were paused for them and that they have not been shown. */
  notices: (owner: string) => Promise<EndpointView[]>
  noticed: (owner: string, at: Date) => Promise<number>

  /** Of these topics, those with an active endpoint. */
  listened: (topicIds: number[]) => Promise<Set<number>>
  /** Empties what was planned about activities that are deleted, so that it is neither sent nor shown. */
  forget: (activityIds: number[]) => Promise<void>
  /** One delivery per active endpoint whose owner may see the topic now; known ones are left
   * alone, and so are activities that are gone. */
  plan: (messages: Message[]) => Promise<number>
  planTest: (endpointId: number, message: { messageId: string; about: string; body: string }) => Promise<number>
  /** Deliveries that are not finished and were not handed over since `staleBefore`. */
  open: (staleBefore: Date, limit: number) => Promise<OpenDelivery[]>
  handed: (ids: number[], at: Date) => Promise<void>
  due: (id: number) => Promise<Due | null>
  /** Writes the attempt and what the delivery is now; the endpoint's record of failing follows. */
  record: (due: Due, attempt: Attempt | null, state: 'delivered' | 'retrying' | 'failed', now: Date) => Promise<void>

  deliveries: (endpointId: number, before: number | null, limit: number) => Promise<DeliveryView[]>
  details: (owner: string, id: number) => Promise<DeliveryDetails | null>
  /** Starts it over; null when the owner has no such delivery. */
  again: (owner: string, id: number) => Promise<{ endpointId: number } | null>
  /** Deliveries that are older; returns how many went. */
  prune: (before: Date, limit: number) => Promise<number>
}

export type JobTaker = {
  /** Durable when it returns; a repeat of a known idempotency key is nothing new. */
  submit: (
    jobs: { type: 'webhook'; key: string; idempotencyKey: string; payload: { delivery: number; run: number } }[],
  ) => Promise<void>
}

/** How a request ended. `refused`: the address is not one that we post to. */
export type Answer =
  | { is: 'answered'; status: number; body: string; retryAfterMs: number | null }
  | { is: 'refused'; reason: string }
  | { is: 'unreachable'; reason: string }

export type PostOut = (request: { url: string; headers: Record<string, string>; body: string }) => Promise<Answer>
