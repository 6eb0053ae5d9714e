// What waits behind somebody's bell: comments that concern them, in topics that they may see.
import type pg from 'pg'
import type { NoticeStore } from '#server/app/ports.ts'
import type { NoticeKind } from '#shared/notice.ts'
import { COMMENT_COLUMNS, COMMENT_JOINS, type CommentRow, toComment } from './comment-row.ts'
import { mayView } from './feed-sql.ts'
import { UNSEEN_PAUSE } from './webhook-rows.ts'

type NoticeRow = CommentRow & {
  kind: NoticeKind
  topic_id: number
  topic_name: string
  about: string
  is_read: boolean
}

/** As much of what it is about as fits on a line. */
const ABOUT_CHARS = 80

export function createNoticeStore(pool: pg.Pool): NoticeStore {
  return {
    async list(viewer, before, limit) {
      const { rows } = await pool.query<NoticeRow>({
        name: 'notices',
        text: `select ${COMMENT_COLUMNS}, n.kind, n.topic_id, t.name as topic_name, n.read_at is not null as is_read,
            left(coalesce(a.object->>'title', nullif(a.summary, ''), a.verb), ${ABOUT_CHARS}) as about
          from notices n join comments c on c.id = n.comment_id ${COMMENT_JOINS}
          join activities a on a.id = n.activity_id join topics t on t.id = n.topic_id
          where n.user_id = $1 and n.comment_id < $2 and ${mayView('n.topic_id', '$1')}
          order by n.comment_id desc limit $3`,
        values: [viewer, before ?? Number.MAX_SAFE_INTEGER, limit],
      })
      return rows.map((row) => ({
        comment: toComment(row),
        kind: row.kind,
        topic: { id: row.topic_id, name: row.topic_name },
        about: row.about,
        read: row.is_read,
      }))
    },

    async unread(viewer) {
      const { rows } = await pool.query<{ count: string }>({
        name: 'notices_unread',
        text: `select (select count(*) from notices n join activities a on a.id = n.activity_id
            where n.user_id = $1 and n.read_at is null and ${mayView('n.topic_id', '$1')})
          + (select count(*) from webhook_endpoints e where e.owner_id = $1 and ${UNSEEN_PAUSE}) as count`,
        values: [viewer],
      })
      return Number(rows[0]!.count)
    },

    async markRead(viewer, { activityId, upTo }) {
      const { rowCount } = await pool.query(
        `update notices set read_at = clock_timestamp() where user_id = $1 and read_at is null
           and ($2::bigint is null or activity_id = $2) and ($3::bigint is null or comment_id <= $3)`,
        [viewer, activityId, upTo],
      )
      return rowCount ?? 0
    },
  }
}
