// Takes fan-out from the queue. A message is a hint: it names a range of the source, which is read once for all sessions
// of the message. What could not be reached is tried again by the queue, and by the topic's alarm whatever the queue does.

import { objectName } from '../streams/core/route.ts'
import type { FanoutQueueMessage } from './core/plan.ts'
import type { SubscriptionsEnv } from './env.ts'
import { recordEvent } from './events.ts'
import { fanoutToSubscribers } from './fanout.ts'

export async function consumeFanout(batch: MessageBatch<FanoutQueueMessage>, env: SubscriptionsEnv): Promise<void> {
  await Promise.all(batch.messages.map((message) => consumeOne(message, env)))
}

async function consumeOne(message: Message<FanoutQueueMessage>, env: SubscriptionsEnv): Promise<void> {
  const { projectId, streamId, listeners, prevOffset, offset } = message.body
  const source = { project: projectId, id: streamId }
  try {
    const carried = await env.CORE.readRange(source, prevOffset, offset)
    const outcome = await fanoutToSubscribers(env.CORE, { source, prevOffset, offset, carried, listeners })
    await env.SUBSCRIPTION_DO.getByName(objectName(projectId, streamId)).settle(outcome, offset)
    const { failed } = outcome
    recordEvent(env, { type: 'fanout', detail: 'queued', count: listeners.length, values: [failed.length] })
    if (failed.length === 0) message.ack()
    else message.retry()
  } catch (error) {
    console.warn(JSON.stringify({ message: 'fan-out from the queue failed', error: String(error) }))
    message.retry()
  }
}
