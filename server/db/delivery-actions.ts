// The journal of what operators did with dead letters. Each line is written before it happens, so that nothing happens
// unseen; the outcome follows.
import type { ActionJournal, ActionRecord } from '#server/app/delivery-ports.ts'
import type { Statements } from './statements.ts'

type Row = Omit<ActionRecord, 'at' | 'seq'> & { at: Date | string; seq: string | number }

export function createActionJournal(database: Statements): ActionJournal {
  return {
    async begin(action, actor, reason, letters) {
      if (letters.length === 0) return []
      const { rows } = await database.query({
        text: `insert into delivery_actions (action, actor, reason, handler, topic_id, seq, dead_id)
         select $1, $2, $3, k.handler, k.topic_id, k.seq, k.dead_id
         from unnest($4::text[], $5::int[], $6::bigint[], $7::text[]) with ordinality as k(handler, topic_id, seq, dead_id, ord)
         order by k.ord returning id`,
        values: [
          ...[action, actor, reason],
          letters.map(({ handler }) => handler),
          letters.map(({ topicId }) => topicId),
          letters.map(({ seq }) => seq),
          letters.map(({ id }) => id),
        ],
      })
      return (rows as { id: string }[]).map(({ id }) => Number(id))
    },

    async end(ids, outcomes) {
      if (ids.length === 0) return
      await database.query({
        text: `update delivery_actions a set outcome = k.outcome
         from unnest($1::bigint[], $2::text[]) as k(id, outcome) where a.id = k.id`,
        values: [ids, outcomes],
      })
    },

    async recent(limit) {
      const { rows } = await database.query({
        text: `select at, action, actor, reason, handler, topic_id as "topicId", seq, dead_id as "deadId", outcome
         from delivery_actions order by id desc limit $1`,
        values: [limit],
      })
      return (rows as Row[]).map((row) => ({ ...row, at: new Date(row.at).toISOString(), seq: Number(row.seq) }))
    },
  }
}
