// Takes jobs from the queue to the partitions that were fixed when they were accepted. A message comes at least once:
// whatever its partition has already is known by its idempotency key.
import { controlOf, type JobsEnv, type JobsMessage, partitionOf } from './env.ts'

const FIRST_DELAY_SECONDS = 2
const LONGEST_DELAY_SECONDS = 600

export async function consumeJobs(batch: MessageBatch<JobsMessage>, env: JobsEnv): Promise<void> {
  await Promise.all(batch.messages.map((message) => consumeOne(message, env)))
}

async function consumeOne(message: Message<JobsMessage>, env: JobsEnv): Promise<void> {
  const { project, partition, jobs } = message.body
  try {
    const answer = await partitionOf(env, project, partition).enqueue(jobs, true)
    // It has not been told its place: whoever decides tells it.
    if (answer === null) await controlOf(env, project).view(project)
    else if (!answer.taken.includes('full')) return message.ack()
  } catch (error) {
    console.warn(JSON.stringify({ message: 'jobs stay in the queue', error: String(error) }))
  }
  message.retry({ delaySeconds: Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (message.attempts - 1)) })
}
