// What each handler has finished, as ranges of numbers per topic: the truth that survives Redis. Written behind the
// work, in batches; what is missing here although it is long in the log is owed.
import type pg from 'pg'
import type { DeliveryEntry, DeliveryProgress } from '#server/app/delivery-ports.ts'
import { HANDLERS, type HandlerName, placeKey } from '#server/domain/delivery/handlers.ts'
import { serialise } from '#server/domain/feed/wire.ts'
import { EVENT_COLUMNS, EVENT_JOINS, type EventRow, toEvent } from './outbox.ts'
import type { Statements } from './statements.ts'
import { inTransaction } from './transaction.ts'

const ENABLE_LOCK = 'delivery_handlers'

/** Also for commands that reach the database through a running server. */
export function createProgressRecord(database: Statements): DeliveryProgress['record'] {
  return async (done) => {
    if (done.length === 0) return
    await database.query({
      name: 'delivery_record',
      // In one order everywhere, so that two processes wait for each other instead of deadlocking. A topic that is
      // gone takes its bookkeeping along.
      text: `insert into delivery_progress (topic_id, handler, done)
        select k.topic_id, k.handler, range_agg(int8range(k.first, k.last, '[]'))
        from unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[]) as k(handler, topic_id, first, last)
        join topics t on t.id = k.topic_id
        group by k.topic_id, k.handler order by k.topic_id, k.handler
        on conflict (topic_id, handler) do update set done = delivery_progress.done + excluded.done`,
      values: [
        done.map(({ handler }) => handler),
        done.map(({ range }) => range.topicId),
        done.map(({ range }) => range.from),
        done.map(({ range }) => range.to),
      ],
    })
  }
}

export function createDeliveryProgress(pool: pg.Pool): DeliveryProgress {
  return {
    async enable(handlers) {
      await inTransaction(pool, async (tx) => {
        // Processes that start together must not begin twice.
        await tx.query('select pg_advisory_xact_lock(hashtext($1))', [ENABLE_LOCK])
        await tx.query('delete from delivery_handlers where handler <> all($1)', [handlers])
        const { rows } = await tx.query<{ handler: string }>(
          `insert into delivery_handlers (handler) select unnest($1::text[]) on conflict do nothing returning handler`,
          [handlers],
        )
        await tx.query(
          `insert into delivery_progress (topic_id, handler, done)
           select h.topic_id, n.handler, int8multirange(int8range(0, h.seq, '(]'))
           from topic_heads h cross join unnest($1::text[]) as n(handler) where h.seq > 0
           on conflict (topic_id, handler) do update set done = delivery_progress.done + excluded.done`,
          [rows.map(({ handler }) => handler)],
        )
      })
    },

    record: createProgressRecord(pool),

    async finished(places) {
      const found = new Map<string, Set<HandlerName>>()
      if (places.length === 0) return found
      const { rows } = await pool.query<{ topic_id: number; seq: string; handlers: HandlerName[] }>(
        `select k.topic_id, k.seq, array_agg(p.handler) as handlers
         from unnest($1::int[], $2::bigint[]) as k(topic_id, seq)
         join delivery_progress p on p.topic_id = k.topic_id and p.done @> k.seq
         group by k.topic_id, k.seq`,
        [places.map(({ topicId }) => topicId), places.map(({ seq }) => seq)],
      )
      for (const row of rows) {
        const known = row.handlers.filter((handler) => HANDLERS.includes(handler))
        found.set(placeKey({ topicId: row.topic_id, seq: Number(row.seq) }), new Set(known))
      }
      return found
    },

    async owed(handler, { before, after, limit }) {
      const { rows } = await pool.query<EventRow>(
        `select ${EVENT_COLUMNS} from (
           select h.topic_id, x.seq from topic_heads h
           left join delivery_progress d on d.topic_id = h.topic_id and d.handler = $1
           cross join lateral unnest(int8multirange(int8range(0, h.seq, '(]')) - coalesce(d.done, '{}')) as gap(numbers)
           cross join lateral (
             select o.seq from events o
             where o.topic_id = h.topic_id and o.seq >= lower(gap.numbers) and o.seq < upper(gap.numbers)
               and (o.topic_id, o.seq) > ($4::int, $5::bigint) and o.log_ms is not null and o.created_at < $2
             order by o.seq limit $3) x
           where h.topic_id >= $4::int order by h.topic_id, x.seq limit $3) k
         join events e on e.topic_id = k.topic_id and e.seq = k.seq ${EVENT_JOINS} order by e.topic_id, e.seq`,
        [handler, before, limit, after?.topicId ?? 0, after?.seq ?? 0],
      )
      return rows.map((row) => {
        const { topicId, seq, log } = toEvent(row)
        const entry: DeliveryEntry = {
          ...{ topicId, seq, id: null, epoch: '', kind: log.kind, again: true },
          data: serialise(log),
        }
        // Zero stands for "in the log, but not known where".
        return { entry, at: Number(row.log_ms) > 0 ? `${row.log_ms}-${row.log_n ?? 0}` : null }
      })
    },
  }
}
