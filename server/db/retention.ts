// Activities at or below their topic's floor are no longer shown or counted; here they leave the table. In small batches,
// each a statement of its own, so that nobody waits for long; publishing is not touched, because it only adds above.
import type pg from 'pg'

export type Retention = {
  /** At most `limit` activities, oldest of their topics first, with what refers to them; returns how many went. */
  removeBelowFloors: (limit: number) => Promise<number>
}

export function createRetention(pool: pg.Pool): Retention {
  return {
    async removeBelowFloors(limit) {
      // One probe a topic finds out whether it has any; mentions are found by whom the activity names.
      const { rows } = await pool.query<{ removed: string }>({
        name: 'remove_below_floors',
        text: `with old as materialized (
            select o.id, o.mentions from topic_heads h
            cross join lateral (
              select a.id, a.mentions from activities a
              where a.topic_id = h.topic_id and a.no <= h.floor_no order by a.no limit $1) o
            where h.floor_no > 0 limit $1),
          unmentioned as (
            delete from activity_mentions m using (
              select u.id as user_id, old.id as activity_id from old
              cross join lateral unnest(old.mentions) as named(handle) join users u on u.handle = named.handle) n
            where m.user_id = n.user_id and m.activity_id = n.activity_id),
          unspoken as (delete from conversations k using old where k.activity_id = old.id),
          unliked as (delete from reactions r using old where r.activity_id = old.id),
          -- By the threads, which have an index; answers are found by what they answer.
          threads as materialized (
            select c.id from old join comments c on c.activity_id = old.id and c.parent_id is null),
          said as materialized (
            select id from threads union all
            select r.id from threads join comments r on r.parent_id = threads.id),
          unsaid as (delete from comments c using said where c.id = said.id),
          unnoticed as (delete from notices n using said where n.comment_id = said.id),
          gone as (delete from activities a using old where a.id = old.id returning 1)
          select count(*) as removed from gone`,
        values: [limit],
      })
      return Number(rows[0]?.removed ?? 0)
    },
  }
}
