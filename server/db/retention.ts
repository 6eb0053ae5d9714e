// Activities at or below their topic's floor are no longer shown or counted; here they leave the table. In small batches,
// each a statement of its own, so that nobody waits for long; publishing is not touched, because it only adds above.
import type pg from 'pg'
import { removalParts } from './removal-sql.ts'

export type Retention = {
  /** At most `limit` activities, oldest of their topics first, with what refers to them; returns how many went. */
  removeBelowFloors: (limit: number) => Promise<number>
  /** The same for what is left of deleted ones. */
  forgetDeleted: (limit: number) => Promise<number>
}

export function createRetention(pool: pg.Pool): Retention {
  return {
    async removeBelowFloors(limit) {
      // One probe a topic finds out whether it has any.
      const { rows } = await pool.query<{ removed: string }>({
        name: 'remove_below_floors',
        text: `with ${removalParts(`select o.id, o.mentions from topic_heads h
            cross join lateral (
              select a.id, a.mentions from activities a
              where a.topic_id = h.topic_id and a.no <= h.floor_no order by a.no limit $1) o
            where h.floor_no > 0 limit $1`)}
          select count(*) as removed from gone`,
        values: [limit],
      })
      return Number(rows[0]?.removed ?? 0)
    },

    async forgetDeleted(limit) {
      const { rowCount } = await pool.query({
        name: 'forget_deleted',
        text: `delete from deleted_activities d using (
            select o.topic_id, o.no from topic_heads h
            cross join lateral (
              select g.topic_id, g.no from deleted_activities g
              where g.topic_id = h.topic_id and g.no <= h.floor_no order by g.no limit $1) o
            where h.floor_no > 0 limit $1) old
          where d.topic_id = old.topic_id and d.no = old.no`,
        values: [limit],
      })
      return rowCount ?? 0
    },
  }
}
