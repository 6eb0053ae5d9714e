// Read state as ranges of topic numbers: marks are range arithmetic, unread counts are subtraction, and both cost by the
// number of topics, never by the backlog.
import type pg from 'pg'
import type { NumberRange, ReadStore } from '#server/app/ports.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import { coalesce } from './coalesce.ts'
import { mayView } from './feed-sql.ts'
import { inTransaction, type Queryable } from './transaction.ts'

/**
 * How many of these numbers (a range or several) the viewer $1 wrote: those are read without being marked. Kept out of
 * the ranges, which would grow with every own activity between two others.
 */
const ownIn = (viewer: string, topic: string, numbers: string) =>
  `(select count(*) from activities own where own.actor_id = ${viewer} and own.topic_id = ${topic}
      and own.no >= lower(${numbers}) and own.no < upper(${numbers}) and ${numbers} @> own.no)`

export function createReadStore(pool: pg.Pool): ReadStore {
  return {
    mark: (viewer, ranges, read) =>
      inTransaction(pool, async (tx) => {
        const version = await raiseVersion(tx, viewer)
        await tx.query(
          `insert into read_state as s (user_id, topic_id, read)
           select $1, r.topic_id, case when $5 then range_agg(int8range(r.from_no, r.to_no, '[]')) else '{}' end
           from unnest($2::int[], $3::bigint[], $4::bigint[]) as r(topic_id, from_no, to_no)
           group by r.topic_id order by r.topic_id
           on conflict (user_id, topic_id) do update set read = case when $5 then s.read + excluded.read
             else s.read - (select range_agg(int8range(r.from_no, r.to_no, '[]'))
               from unnest($2::int[], $3::bigint[], $4::bigint[]) as r(topic_id, from_no, to_no) where r.topic_id = s.topic_id) end`,
          [viewer, ranges.map((r) => r.topicId), ranges.map((r) => r.from), ranges.map((r) => r.to), read],
        )
        return { version }
      }),

    markUpTo: (viewer, upTo) =>
      inTransaction(pool, async (tx) => {
        const version = await raiseVersion(tx, viewer)
        const { rows } = await tx.query<{ topic_id: number; from_no: string; to_no: string; own: string }>(
          `with wanted as (
             select h.topic_id, int8multirange(int8range(0, least(u.no, h.no), '[]')) as numbers, h.floor_no
             from unnest($2::int[], $3::bigint[]) as u(topic_id, no)
             join topic_heads h on h.topic_id = u.topic_id
             join follows f on f.topic_id = u.topic_id and f.user_id = $1),
           before as (
             select w.*, coalesce(s.read, '{}') as read from wanted w
             left join read_state s on s.user_id = $1 and s.topic_id = w.topic_id),
           stored as (
             insert into read_state as s (user_id, topic_id, read) select $1, b.topic_id, b.numbers from before b order by b.topic_id
             on conflict (user_id, topic_id) do update set read = s.read + excluded.read)
           select b.topic_id, lower(g.numbers) as from_no, upper(g.numbers) - 1 as to_no,
             ${ownIn('$1', 'b.topic_id', 'g.numbers')} as own
           from before b cross join lateral unnest(b.numbers * int8multirange(int8range(b.floor_no, null, '()')) - b.read) as g(numbers)`,
          [viewer, upTo.map((u) => u.topicId), upTo.map((u) => u.no)],
        )
        const added = rows.map((r): NumberRange => {
          return { topicId: r.topic_id, from: Number(r.from_no), to: Number(r.to_no) }
        })
        const marked = rows.reduce((sum, r) => sum + Number(r.to_no) - Number(r.from_no) + 1 - Number(r.own), 0)
        return { version, added, marked }
      }),

    async version(viewer) {
      const { rows } = await pool.query<{ version: string }>('select version from read_versions where user_id = $1', [
        viewer,
      ])
      return Number(rows[0]?.version ?? 0)
    },

    counts: coalesce((viewers) => countsOf(pool, viewers)),
  }
}

type CountRow = {
  viewer: string
  version: string
  topic_id: number
  no: string
  muted: boolean
  unread: string
  mentions: string
}

async function countsOf(pool: pg.Pool, viewers: string[]): Promise<Map<string, UnreadCounts>> {
  const { rows } = await pool.query<CountRow>({
    name: 'unread_counts',
    text: `select f.user_id as viewer, f.topic_id, h.no, f.muted, u.unread, m.mentions,
        coalesce((select version from read_versions v where v.user_id = f.user_id), 0) as version
      from follows f join topic_heads h on h.topic_id = f.topic_id
      left join read_state s on s.user_id = f.user_id and s.topic_id = f.topic_id
      cross join lateral (
        select int8multirange(int8range(h.floor_no, h.no, '(]')) - coalesce(s.read, '{}') as numbers) g
      cross join lateral (
        select coalesce(sum(upper(r) - lower(r)), 0) - ${ownIn('f.user_id', 'f.topic_id', 'g.numbers')} as unread
        from unnest(g.numbers) as r) u
      cross join lateral (
        select count(*) as mentions from activity_mentions n
        where u.unread > 0 and n.user_id = f.user_id and n.topic_id = f.topic_id and n.no > h.floor_no
          and not coalesce(s.read @> n.no, false)) m
      where f.user_id = any($1) and ${mayView('f.topic_id', 'f.user_id')}`,
    values: [viewers],
  })
  const found = new Map<string, UnreadCounts>(
    viewers.map((viewer) => [viewer, { total: 0, mentions: 0, topics: {}, heads: {}, version: 0 }]),
  )
  for (const row of rows) {
    const counts = found.get(row.viewer)!
    const unread = Number(row.unread)
    counts.version = Number(row.version)
    counts.heads[row.topic_id] = Number(row.no)
    if (unread > 0) counts.topics[row.topic_id] = unread
    if (!row.muted) counts.total += unread
    counts.mentions += Number(row.mentions)
  }
  return found
}

/** Also the lock that puts a person's marks in one order. */
async function raiseVersion(tx: Queryable, viewer: string): Promise<number> {
  const { rows } = await tx.query<{ version: string }>(
    `insert into read_versions as v (user_id, version) values ($1, 1)
     on conflict (user_id) do update set version = v.version + 1 returning version`,
    [viewer],
  )
  return Number(rows[0]!.version)
}
