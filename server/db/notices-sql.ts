// Whom a comment concerns: those it mentions, those in the thread it answers, and whoever the activity is from. Each
// once, for the nearest reason, never the writer, and nobody who may not see the topic.
import type { Comment } from '#shared/talk.ts'
import { mayView } from './feed-sql.ts'
import type { Queryable } from './transaction.ts'

/** Returns who was not concerned before. */
export async function insertNotices(tx: Queryable, topicId: number, comment: Comment): Promise<string[]> {
  const { rows } = await tx.query<{ user_id: string }>(
    `insert into notices (user_id, comment_id, activity_id, topic_id, kind)
     select distinct on (w.user_id) w.user_id, $1::bigint, $2::bigint, $3::int, w.kind from (
       select u.id as user_id, 'mention' as kind, 1 as rank from users u where u.handle = any($4::text[])
       union all
       select c.author_id, 'reply', 2 from comments c where (c.id = $5 or c.parent_id = $5) and c.deleted_at is null
       union all
       select a.actor_id, 'comment', 3 from activities a where a.id = $2) w
     where w.user_id <> $6 and ${mayView('$3::int', 'w.user_id')}
     order by w.user_id, w.rank
     on conflict do nothing returning user_id`,
    [comment.id, comment.activity, topicId, comment.mentions, comment.parent, comment.author.id],
  )
  return rows.map((row) => row.user_id)
}

/** After a change of its words: whoever is no longer mentioned is not concerned for that reason; deleted, nobody is. */
export async function keepNoticesOf(tx: Queryable, comment: Comment): Promise<void> {
  await tx.query(
    `delete from notices n using users u where n.comment_id = $1 and u.id = n.user_id
       and ($2 or (n.kind = 'mention' and not u.handle = any($3::text[])))`,
    [comment.id, comment.deleted, comment.mentions],
  )
}
