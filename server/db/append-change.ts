// An event of a topic that is not an activity: stored with the change it tells of, in the same transaction.
import type { TopicChange } from '#shared/live-events.ts'
import type { Queryable } from './transaction.ts'

/** Takes the topic's next seq; the caller holds the head row or has just made it. */
export async function appendChange(tx: Queryable, topicId: number, change: TopicChange): Promise<number> {
  const { rows } = await tx.query<{ seq: string }>(
    `with head as (update topic_heads set seq = seq + 1 where topic_id = $1 returning seq)
     insert into events (topic_id, seq, change, created_at) select $1, seq, $2, clock_timestamp() from head returning seq`,
    [topicId, JSON.stringify(change)],
  )
  return Number(rows[0]!.seq)
}
