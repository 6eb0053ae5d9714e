// Takes fan-out from the queue. A message is a hint: it names a range of the source, which is read once for all sessions
// of the message. What could not be reached is tried again by the queue, and by the topic's alarm whatever the queue does.
import type { FanoutQueueMessage } from './core/plan.ts'
import { subscriptionObjectName } from './core/route.ts'
import type { SubscriptionsEnv } from './env.ts'
import { recordEvent } from './events.ts'
import { fanoutToSubscribers } from './fanout.ts'

export async function consumeFanout(batch: MessageBatch<FanoutQueueMessage>, env: SubscriptionsEnv): Promise<void> {
  await Promise.all(batch.messages.map((message) => consumeOne(message, env)))
}

async function consumeOne(message: Message<FanoutQueueMessage>, env: SubscriptionsEnv): Promise<void> {
  const { projectId: project, streamId: id, shard, listeners, incarnation, prevOffset, offset } = message.body
  const source = { project, id }
  try {
    const carried = await env.CORE.readRange(source, incarnation, prevOffset, offset)
    const wish = { source, incarnation, prevOffset, offset, carried, listeners }
    const outcome = await fanoutToSubscribers(env.CORE, wish)
    await env.SUBSCRIPTION_DO.getByName(subscriptionObjectName(project, id, shard)).settle(outcome, {
      incarnation,
      offset,
    })
    const { failed } = outcome
    recordEvent(env, {
      type: 'fanout',
      streamId: id,
      detail: 'queued',
      count: listeners.length,
      values: [failed.length],
    })
    if (failed.length === 0) message.ack()
    else message.retry()
  } catch (error) {
    console.warn(JSON.stringify({ message: 'fan-out from the queue failed', error: String(error) }))
    message.retry()
  }
}
