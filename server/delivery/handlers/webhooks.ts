// Sends each activity out: for the endpoints that people set up, deliveries are planned in Postgres, from where they go
// their own way (server/app/send-webhooks.ts); the operator's own address, if there is one, is posted to at once. An
// activity is done when both are; one that failed is planned and posted again, which repeats nothing that is known.
import type { DeliveryEntry, WebhookTarget, WebhookTargets } from '#server/app/delivery-ports.ts'
import type { Message, WebhookStore } from '#server/app/webhook-ports.ts'
import type { ActivityChange } from '#shared/activity-change.ts'
import type { ActivityEvent } from '#shared/live-events.ts'
import { activityChangeIn } from '../activity-change-in.ts'
import { DONE, type Handler, type Outcome, startBudget } from '../handler.ts'
import { type Post, postSigned } from '../post-signed.ts'

/** Requests at once; one slow receiver must not fill the process with open sockets. */
const AT_ONCE = 8
/** What there was no time for comes again at once. */
const NEXT_TURN_MS = 0

export type Planner = Pick<WebhookStore, 'listened' | 'forget' | 'plan'> & { wake: () => void }

const messageId = ({ topicId, seq }: DeliveryEntry): string => `evt_${topicId}_${seq}`
const idsOf = (entries: DeliveryEntry[]): number[] => [...new Set(entries.map(({ topicId }) => topicId))]

export function createWebhooksHandler(
  planner: Planner | null,
  operators: WebhookTargets | null,
  post: Post = postSigned,
): Handler {
  async function plan(entries: DeliveryEntry[]): Promise<void> {
    if (!planner || entries.length === 0) return
    const listened = await planner.listened(idsOf(entries))
    const heard = entries.filter(({ topicId }) => listened.has(topicId))
    const messages = heard.map(toMessage)
    // What was deleted is neither sent nor kept, whichever of the two is handled first.
    await planner.forget(messages.filter(({ type }) => type === 'activity.deleted').map(({ activityId }) => activityId))
    if ((await planner.plan(messages)) > 0) planner.wake()
  }

  async function send(entry: DeliveryEntry, to: WebhookTarget[], signal: AbortSignal): Promise<Outcome> {
    try {
      for (const target of to) await post(target, { id: messageId(entry), body: entry.data, signal })
      return DONE
    } catch (error) {
      return { is: 'failed', error }
    }
  }

  async function sendAll(entries: DeliveryEntry[], signal: AbortSignal): Promise<Map<DeliveryEntry, Outcome>> {
    const outcomes = new Map<DeliveryEntry, Outcome>()
    if (!operators) return outcomes
    const budget = startBudget()
    const found = await operators.of(idsOf(entries))
    const waiting = entries.filter(({ topicId }) => found.has(topicId))
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let entry = waiting.shift(); entry; entry = waiting.shift())
          outcomes.set(
            entry,
            budget.spent()
              ? { is: 'later', waitMs: NEXT_TURN_MS }
              : await send(entry, found.get(entry.topicId) ?? [], signal),
          )
      }),
    )
    return outcomes
  }

  return {
    name: 'webhooks',
    async handle(entries, signal) {
      // Also that one was edited or deleted: receivers keep copies.
      const posted = entries.filter(({ kind, data }) => kind === 'activity' || activityChangeIn(data) !== null)
      await plan(posted)
      const outcomes = await sendAll(posted, signal)
      return entries.map((entry) => outcomes.get(entry) ?? DONE)
    },
  }
}

function toMessage(entry: DeliveryEntry): Message {
  const change = activityChangeIn(entry.data)
  return { ...(change ? ofChange(change) : ofActivity(entry)), topicId: entry.topicId, messageId: messageId(entry) }
}

type Content = Omit<Message, 'topicId' | 'messageId'>

function ofActivity({ data }: DeliveryEntry): Content {
  const { activity } = JSON.parse(data) as ActivityEvent
  const type = 'activity'
  const body = JSON.stringify({ type, timestamp: activity.publishedAt, data: activity })
  return { type, activityId: activity.id, no: activity.no, body }
}

function ofChange({ activity: id, no, version, words }: ActivityChange): Content {
  if (words === null) {
    const type = 'activity.deleted'
    return { type, activityId: id, no, body: JSON.stringify({ type, data: { id, version } }) }
  }
  const type = 'activity.edited'
  const { summary, mentions, edited } = words
  const body = JSON.stringify({ type, timestamp: edited.at, data: { id, version, summary, mentions } })
  return { type, activityId: id, no, body }
}
