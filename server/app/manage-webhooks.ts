// Endpoints of a person: made for a topic that they may publish to, tried out, paused, resealed, removed; and what was
// posted to them. The secret is shown when it is made and derived again whenever something is signed.
import { parseCursor, printCursor } from '#server/domain/feed/cursor.ts'
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import {
  type CreateEndpointInput,
  DELIVERIES_PAGE,
  type DeliveryDetails,
  type DeliveryView,
  ENDPOINTS_PER_PERSON_MAX,
  type EndpointView,
} from '#shared/webhook.ts'
import type { TopicStore } from './ports.ts'
import type { WebhookStore } from './webhook-ports.ts'

type Deps = {
  webhooks: WebhookStore
  topics: Pick<TopicStore, 'view'>
  clock: Clock
  randomBytes: (size: number) => Buffer
  secretOf: (salt: string) => string
  /** Whether plain http and addresses of our own network are fine, as on a developer's machine. */
  allowPrivate: boolean
  /** There is something to hand over. */
  wake: () => void
}

export type ManageWebhooks = ReturnType<typeof createManageWebhooks>

const SALT_BYTES = 16
const noEndpoint = () => new AppError('NOT_FOUND', 'You have no such endpoint.', { field: 'id' })

export function createManageWebhooks(deps: Deps) {
  const { webhooks, topics, clock, secretOf, wake } = deps
  const newSalt = () => deps.randomBytes(SALT_BYTES).toString('hex')

  async function own(owner: string, id: number): Promise<EndpointView> {
    const endpoint = await webhooks.find(owner, id)
    if (!endpoint) throw noEndpoint()
    return endpoint
  }

  return {
    list: (owner: string): Promise<EndpointView[]> => webhooks.list(owner),

    /** The secret is in this answer, and in none after it. */
    async create(owner: string, { url, topic: name }: CreateEndpointInput) {
      if (!deps.allowPrivate && new URL(url).protocol !== 'https:')
        throw new AppError('INVALID_INPUT', 'Use https, so that nobody reads along.', { field: 'url' })
      const topic = await topics.view(owner, name)
      if (!topic)
        throw new AppError('NOT_FOUND', 'This topic does not exist, or you are not in it.', { field: 'topic' })
      if (!topic.mayPost)
        throw new AppError('NOT_ALLOWED', 'Only owners of this topic may send it elsewhere.', { field: 'topic' })
      const salt = newSalt()
      const endpoint = await webhooks.create(
        { ownerId: owner, topicId: topic.id, url, salt, at: new Date(clock.now()) },
        ENDPOINTS_PER_PERSON_MAX,
      )
      if (!endpoint)
        throw new AppError('NOT_ALLOWED', `At most ${ENDPOINTS_PER_PERSON_MAX} endpoints: remove one first.`)
      return { endpoint, secret: secretOf(salt) }
    },

    async remove(owner: string, id: number) {
      if (!(await webhooks.remove(owner, id))) throw noEndpoint()
      return { id }
    },

    async pause(owner: string, id: number, paused: boolean) {
      await own(owner, id)
      await webhooks.pause(id, paused ? 'owner' : null, new Date(clock.now()))
      return own(owner, id)
    },

    /** A new secret; what was signed with the old one is no longer ours. */
    async reseal(owner: string, id: number) {
      const salt = newSalt()
      if (!(await webhooks.reseal(owner, id, salt))) throw noEndpoint()
      return { endpoint: await own(owner, id), secret: secretOf(salt) }
    },

    /** Posts something that says that it is a test, by the same way as everything else. */
    async test(owner: string, id: number): Promise<{ delivery: number }> {
      const endpoint = await own(owner, id)
      if (endpoint.paused)
        throw new AppError('NOT_ALLOWED', 'This endpoint is paused: resume it first.', { field: 'id' })
      const timestamp = new Date(clock.now()).toISOString()
      const delivery = await webhooks.planTest(id, {
        messageId: `test_${deps.randomBytes(12).toString('hex')}`,
        about: 'Test',
        body: JSON.stringify({ type: 'test', timestamp, data: { endpoint: id, text: 'Hello from Signal Feed.' } }),
      })
      wake()
      return { delivery }
    },

    async deliveries(owner: string, id: number, cursor: string | null | undefined) {
      const endpoint = await own(owner, id)
      const before = cursor ? parseCursor(cursor) : null
      if (before && !before.ok) throw new AppError(before.code, before.message, { field: 'cursor' })
      // What a topic says is for those who see it, also when it was sent before.
      const found: DeliveryView[] = endpoint.topic
        ? await webhooks.deliveries(id, before?.ok ? before.value : null, DELIVERIES_PAGE)
        : []
      const last = found.length === DELIVERIES_PAGE ? found.at(-1)! : null
      return { deliveries: found, cursor: last && printCursor(last.id) }
    },

    async details(owner: string, id: number): Promise<DeliveryDetails> {
      const details = await webhooks.details(owner, id)
      if (!details) throw new AppError('NOT_FOUND', 'There is no such delivery.', { field: 'id' })
      return details
    },

    /** Sends it once more, with the same message id, so that the receiver can tell. */
    async redeliver(owner: string, id: number): Promise<{ id: number }> {
      const details = await webhooks.details(owner, id)
      if (!details) throw new AppError('NOT_FOUND', 'There is no such delivery.', { field: 'id' })
      const again = await webhooks.again(owner, id)
      // It is under way already: clicking twice sends once.
      if (again) wake()
      return { id }
    },

    notices: (owner: string): Promise<EndpointView[]> => webhooks.notices(owner),
    noticed: async (owner: string) => ({ seen: await webhooks.noticed(owner, new Date(clock.now())) }),
  }
}
