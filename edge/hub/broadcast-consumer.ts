// Takes slices of broadcasts from the queue. A job is a reference: the shard has the message, and does each slice once.
import type { BroadcastJob } from './core/broadcast.ts'
import { QUEUE_MAX_RETRY_SECONDS, QUEUE_RETRY_SECONDS } from './core/tuning.ts'
import type { HubEnv } from './env.ts'
import { projectView } from './project-view.ts'
import { shardOf, warn } from './shard.ts'

export async function consumeBroadcasts(batch: MessageBatch<BroadcastJob>, env: HubEnv): Promise<void> {
  // One after the other: the slices of a broadcast belong to the same shard and would only wait for each other.
  for (const message of batch.messages) {
    const { project, shard, key, batchIndex } = message.body
    try {
      const view = await projectView(env, project)
      await shardOf(env, project, shard).runBatch({ project, shard, view }, key, batchIndex)
      message.ack()
    } catch (error) {
      warn('a slice of a broadcast failed', { shard, batchIndex, error: String(error) })
      message.retry({ delaySeconds: retryDelaySeconds(message.attempts) })
    }
  }
}

/** `attempts` counts from 1. */
export const retryDelaySeconds = (attempts: number): number =>
  Math.min(QUEUE_MAX_RETRY_SECONDS, QUEUE_RETRY_SECONDS * 2 ** (attempts - 1))
