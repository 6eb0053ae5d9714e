// The events of all topics: what still has to reach the log, and what resuming readers missed when memory no longer has
// it. Rows stay for the log's retention, so that a lost log can be filled again.
import type pg from 'pg'
import type { MissedEvent, Outbox, OutboxEvent } from '#server/app/log-ports.ts'
import { type ActivityRow, toActivity } from '#server/domain/feed/wire.ts'
import type { ActivityChange } from '#shared/activity-change.ts'
import type { TopicChange } from '#shared/live-events.ts'
import { ITEM_COLUMNS, mayView, PEOPLE_JOINS } from './feed-sql.ts'

export type EventRow = ActivityRow & {
  event_topic: number
  event_seq: string
  event_activity: string | null
  gone_no: string | null
  gone_version: number | null
  gone: 'author' | 'owner' | null
  change: TopicChange | null
  log_ms: string | null
  log_n: number | null
}

export const EVENT_COLUMNS = `e.topic_id as event_topic, e.seq as event_seq, e.activity_id as event_activity, e.change,
  e.log_ms, e.log_n, d.no as gone_no, d.version as gone_version, d.gone, ${ITEM_COLUMNS}`
export const EVENT_JOINS = `left join activities a on a.id = e.activity_id join topics t on t.id = e.topic_id
  ${PEOPLE_JOINS} left join deleted_activities d on d.activity_id = e.activity_id`

export function createOutbox(pool: pg.Pool): Outbox {
  return {
    async pending({ ageMs, limit }) {
      const { rows } = await pool.query<EventRow>(
        `select ${EVENT_COLUMNS} from (
           select topic_id, seq from events
           where log_ms is null and created_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
           order by created_at limit $2) k
         join events e on e.topic_id = k.topic_id and e.seq = k.seq ${EVENT_JOINS} order by e.topic_id, e.seq`,
        [ageMs, limit],
      )
      return rows.map(toEvent)
    },

    async after(places, limit) {
      const { rows } = await pool.query<EventRow>(
        `select ${EVENT_COLUMNS} from (
           select n.topic_id, n.seq from unnest($1::int[], $2::bigint[]) as k(topic_id, seq)
           cross join lateral (
             select x.topic_id, x.seq from events x where x.topic_id = k.topic_id and x.seq > k.seq order by x.seq limit $3) n
           order by n.topic_id, n.seq limit $3) w
         join events e on e.topic_id = w.topic_id and e.seq = w.seq ${EVENT_JOINS} order by e.topic_id, e.seq`,
        [places.map(({ topicId }) => topicId), places.map(({ seq }) => seq), limit],
      )
      return rows.map(toEvent)
    },

    async markLogged(logged) {
      if (logged.length === 0) return
      await pool.query({
        name: 'events_logged',
        // A place that is known replaces an older one: a log that was filled again has its events elsewhere.
        // Locked in one order: after a loss every process fills the log and writes down the same places.
        text: `with k as materialized (
            select k.* from unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[]) as k(topic_id, seq, ms, n)
            join events e on e.topic_id = k.topic_id and e.seq = k.seq and (e.log_ms is null or k.ms > 0)
            order by k.topic_id, k.seq for update of e)
          update events e set log_ms = k.ms, log_n = k.n from k where e.topic_id = k.topic_id and e.seq = k.seq`,
        values: [
          logged.map((one) => one.topicId),
          logged.map((one) => one.seq),
          // Known to be in the log, but not where: 0 sorts before every position.
          logged.map((one) => one.id?.ms ?? 0),
          logged.map((one) => one.id?.n ?? 0),
        ],
      })
    },

    async heads() {
      const { rows } = await pool.query<{ topic_id: number; seq: string }>('select topic_id, seq from topic_heads')
      return new Map(rows.map((row) => [row.topic_id, Number(row.seq)]))
    },

    async prune(olderThan, limit) {
      // Only what is known to be in the log and finished by every handler; the newest event of a topic stays, to restart
      // its place in a lost log.
      const { rowCount } = await pool.query(
        `delete from events where (topic_id, seq) in (
           select e.topic_id, e.seq from events e join topic_heads h on h.topic_id = e.topic_id
           where e.log_ms is not null and e.created_at < $1 and e.seq < h.seq
             and not exists (
               select 1 from delivery_handlers r where not exists (
                 select 1 from delivery_progress d
                 where d.topic_id = e.topic_id and d.handler = r.handler and d.done @> e.seq))
           limit $2)`,
        [olderThan, limit],
      )
      return rowCount ?? 0
    },

    async lag() {
      const { rows } = await pool.query<{ waiting: string; oldest_ms: string | null }>(
        `select count(*) as waiting, extract(epoch from clock_timestamp() - min(created_at)) * 1000 as oldest_ms
         from events where log_ms is null`,
      )
      const { waiting, oldest_ms } = rows[0]!
      return { waiting: Number(waiting), oldestMs: oldest_ms === null ? null : Math.max(0, Number(oldest_ms)) }
    },

    async missed(viewer, after, until, limit) {
      const { rows } = await pool.query<EventRow>({
        name: 'events_missed',
        text: `select ${EVENT_COLUMNS} from follows f
          cross join lateral (
            select min(first.seq) as seq from (
              select x.seq from events x where x.topic_id = f.topic_id and x.log_ms is not null
                and (x.log_ms, x.log_n) > ($2::bigint, $3::int)
              order by x.log_ms, x.log_n limit 1) first) start
          join events e on e.topic_id = f.topic_id and e.seq >= start.seq
          ${EVENT_JOINS}
          where f.user_id = $1 and ${mayView('f.topic_id', '$1')} and e.log_ms is not null
            and ($4::bigint is null or (e.log_ms, e.log_n) < ($4::bigint, $5::int))
          order by e.log_ms, e.log_n, e.seq limit $6`,
        values: [viewer, after.ms, after.n, until?.ms ?? null, until?.n ?? null, limit + 1],
      })
      return rows.length > limit ? null : rows.map(toMissed)
    },
  }
}

export function toEvent(row: EventRow): OutboxEvent {
  const place = { topicId: row.event_topic, seq: Number(row.event_seq) }
  // What was published is deleted by now, or has left the window: its place in the topic says so.
  const change = row.change ?? (row.id === null ? goneChange(row) : null)
  if (change) return { ...place, log: { kind: 'update', event: { topic: place.topicId, seq: place.seq, change } } }
  return {
    ...place,
    log: { kind: 'activity', event: { topic: place.topicId, seq: place.seq, activity: toActivity(row) } },
  }
}

const goneChange = ({ event_activity, gone_no, gone_version, gone }: EventRow): ActivityChange => ({
  kind: 'activity',
  activity: Number(event_activity),
  no: Number(gone_no ?? 0),
  version: gone_version ?? 0,
  words: null,
  gone: gone ?? 'age',
  rang: [],
})

const toMissed = (row: EventRow): MissedEvent => ({
  position: row.log_ms === null ? null : { ms: Number(row.log_ms), n: row.log_n ?? 0 },
  event: toEvent(row),
})
