// Posts each activity to the addresses that its topic has, signed. An activity is done when all of them took it; one that
// failed is posted to all of them again, and receivers know a repeat by its `webhook-id`.
import type { DeliveryEntry, WebhookTargets } from '#server/app/delivery-ports.ts'
import { activityChangeIn } from '../activity-change-in.ts'
import { DONE, type Handler, type Outcome, startBudget } from '../handler.ts'
import { type Post, postSigned } from '../post-signed.ts'

/** Requests at once; one slow receiver must not fill the process with open sockets. */
const AT_ONCE = 8
/** What there was no time for comes again at once. */
const NEXT_TURN_MS = 0

export function createWebhooksHandler(targets: WebhookTargets, post: Post = postSigned): Handler {
  async function send(entry: DeliveryEntry, to: { url: string; secret: string }[], signal: AbortSignal) {
    try {
      for (const target of to) await post(target, { id: `evt_${entry.topicId}_${entry.seq}`, body: entry.data, signal })
      return DONE
    } catch (error) {
      return { is: 'failed', error } as const
    }
  }

  return {
    name: 'webhooks',
    async handle(entries, signal) {
      const budget = startBudget()
      // Also that one was edited or deleted: receivers keep copies.
      const posted = entries.filter(({ kind, data }) => kind === 'activity' || activityChangeIn(data) !== null)
      const found = await targets.of([...new Set(posted.map(({ topicId }) => topicId))])
      const outcomes = new Map<DeliveryEntry, Outcome>()
      const waiting = posted.filter(({ topicId }) => found.has(topicId))
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
      return entries.map((entry) => outcomes.get(entry) ?? DONE)
    },
  }
}
