// What unread counts need to know of topics and people besides what was read.
import type pg from 'pg'
import type { FactStore, TopicFact } from '#server/app/read-ports.ts'

/** Every number above a floor: of activities, and of those that were deleted. */
const NUMBERED = `(select topic_id, no, published_at from activities
  union all select topic_id, no, published_at from deleted_activities)`

type TopicRow = { topic_id: number; numbers: number[] | null; deleted_seq: string | null } & Record<
  'seq' | 'no' | 'floor_no',
  string
>

function toFact({ seq, no, floor_no, numbers, deleted_seq }: TopicRow): TopicFact {
  const floor = Number(floor_no)
  return {
    ...{ seq: Number(seq), no: Number(no), floor },
    deleted: (numbers ?? []).filter((deleted) => deleted > floor),
    deletedSeq: Number(deleted_seq ?? 0),
  }
}

export function createFactStore(pool: pg.Pool): FactStore {
  return {
    async topics(ids) {
      // One statement, so that heads and deletions are of one moment.
      const { rows } = await pool.query<TopicRow>({
        name: `topic_facts${ids ? '_of' : ''}`,
        text: `select h.topic_id, h.seq, h.no, h.floor_no, d.numbers, d.seq as deleted_seq from topic_heads h
          left join (
            select g.topic_id, json_agg(g.no order by g.no) as numbers, max(g.seq) as seq from deleted_activities g
            ${ids ? 'where g.topic_id = any($1)' : ''} group by g.topic_id) d on d.topic_id = h.topic_id
          ${ids ? 'where h.topic_id = any($1)' : ''}`,
        values: ids ? [ids] : [],
      })
      return new Map(rows.map((row) => [row.topic_id, toFact(row)]))
    },

    async floors() {
      const { rows } = await pool.query<{ topic_id: number; floor_no: string }>(
        'select topic_id, floor_no from topic_heads where floor_no > 0',
      )
      return rows.map((row) => [row.topic_id, Number(row.floor_no)])
    },

    async person(viewer) {
      const { rows } = await pool.query<{
        handle: string
        own: [number, number][] | null
        mentions: [number, number][] | null
      }>({
        name: 'person_facts',
        text: `select u.handle,
            (select json_agg(json_build_array(a.topic_id, a.no) order by a.no) from activities a
              join topic_heads h on h.topic_id = a.topic_id where a.actor_id = u.id and a.no > h.floor_no) as own,
            (select json_agg(json_build_array(m.topic_id, m.no) order by m.no) from activity_mentions m
              join topic_heads h on h.topic_id = m.topic_id where m.user_id = u.id and m.no > h.floor_no) as mentions
          from users u where u.id = $1`,
        values: [viewer],
      })
      return { handle: rows[0]?.handle ?? '', own: rows[0]?.own ?? [], mentions: rows[0]?.mentions ?? [] }
    },

    async raiseFloors(before, limit) {
      // The next activity above the floor decides whether a topic is looked at, by one probe of the index.
      const { rowCount } = await pool.query(
        `update topic_heads h set floor_no = n.no from (
           select t.topic_id, max(a.no) as no from (
             select o.topic_id, o.floor_no from topic_heads o
             where o.no > o.floor_no and exists (
               select 1 from ${NUMBERED} a where a.topic_id = o.topic_id and a.no = o.floor_no + 1 and a.published_at < $1)
             order by o.topic_id limit $2) t
           join lateral (
             select a.no from ${NUMBERED} a where a.topic_id = t.topic_id and a.no > t.floor_no and a.published_at < $1
             order by a.no limit $2) a on true
           group by t.topic_id) n
         where h.topic_id = n.topic_id and h.floor_no < n.no`,
        [before, limit],
      )
      return rowCount ?? 0
    },
  }
}
