// What the handlers keep in Postgres: who is to be told of a mention, how far the edge is, and which topics may leave
// by a webhook.
import type pg from 'pg'
import type { MentionNotices, WebhookTarget, WebhookTargets } from '#server/app/delivery-ports.ts'
import type { EdgeCursors } from '#server/app/edge-ports.ts'
import { mayView } from './feed-sql.ts'

export function createMentionNotices(pool: pg.Pool): MentionNotices {
  return {
    async add(mentions) {
      if (mentions.length === 0) return
      await pool.query({
        name: 'mention_notices',
        // Rights as they are now: somebody who was removed meanwhile is told nothing. Nobody is told of themselves.
        text: `insert into mention_notices (user_id, activity_id, topic_id)
          select u.id, k.activity_id, k.topic_id
          from unnest($1::bigint[], $2::int[], $3::text[]) as k(activity_id, topic_id, handle)
          join users u on u.handle = k.handle
          join activities a on a.id = k.activity_id and a.actor_id is distinct from u.id
          where ${mayView('k.topic_id', 'u.id')}
          on conflict do nothing`,
        values: [
          mentions.map(({ activityId }) => activityId),
          mentions.map(({ topicId }) => topicId),
          mentions.map(({ handle }) => handle),
        ],
      })
    },
  }
}

export function createEdgeCursors(pool: pg.Pool): EdgeCursors {
  return {
    async get(topicIds) {
      const { rows } = await pool.query<{ topic_id: number; seq: string }>(
        'select topic_id, seq from edge_cursors where topic_id = any($1)',
        [topicIds],
      )
      return new Map(rows.map((row) => [row.topic_id, Number(row.seq)]))
    },

    async advance(topicId, seq) {
      await pool.query(
        `insert into edge_cursors (topic_id, seq) select id, $2 from topics where id = $1
         on conflict (topic_id) do update set seq = greatest(edge_cursors.seq, excluded.seq)`,
        [topicId, seq],
      )
    },

    async rewind(topicId, seq) {
      await pool.query('update edge_cursors set seq = $2 where topic_id = $1', [topicId, seq])
    },

    async isBehind(before) {
      const { rows } = await pool.query<{ behind: boolean }>(
        `select exists (select 1 from edge_cursors c join topic_heads h on h.topic_id = c.topic_id and h.seq > c.seq
           join events e on e.topic_id = c.topic_id and e.seq = c.seq + 1 where e.created_at < $1) as behind`,
        [before],
      )
      return rows[0]!.behind
    },

    async refuse(topicId, seq, reason) {
      await pool.query(
        `insert into edge_refusals (topic_id, seq, reason) select id, $2, $3 from topics where id = $1
         on conflict do nothing`,
        [topicId, seq, reason],
      )
    },

    async refusals(topicId, seqs) {
      if (seqs.length === 0) return new Map()
      const { rows } = await pool.query<{ seq: string; reason: string }>(
        'select seq, reason from edge_refusals where topic_id = $1 and seq = any($2::bigint[])',
        [topicId, seqs],
      )
      return new Map(rows.map((row) => [Number(row.seq), row.reason]))
    },
  }
}

/** One address for the whole installation: it gets what everybody may see, and nothing of a private topic. */
export function createPublicTarget(pool: pg.Pool, target: WebhookTarget): WebhookTargets {
  return {
    async of(topicIds) {
      const { rows } = await pool.query<{ id: number }>(
        `select t.id from topics t where t.id = any($1) and ${mayView('t.id', 'null')}`,
        [topicIds],
      )
      return new Map(rows.map(({ id }) => [id, [target]]))
    },
  }
}
