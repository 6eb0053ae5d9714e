// The durable copy of read state: one row a person, replaced as a whole, and the operations that wait while Redis is away.
// A generation is given each time a state goes from here to Redis, so that whoever still holds an older one writes in vain.
import type pg from 'pg'
import type { HeldReads, KeptReads } from '#server/app/read-ports.ts'
import { fromKept, type Kept, toKept } from '#server/domain/read/kept.ts'
import { emptyReads, type Operation, type PersonReads, type Stored } from '#server/domain/read/person-reads.ts'
import { SEGMENT_BITS } from '#server/domain/read/segments.ts'
import { inTransaction, type Queryable } from './transaction.ts'

/** Versions that Redis may have told and lost with a crash are fewer than this. */
const VERSION_STEP = 1_000
const NOTHING: Kept = { topics: {}, extras: '' }

type StateRow = { generation: string; version: string; last_operation: string; state: Kept }
type OperationRow = { id: string; version: string; operation: Operation }

const COLUMNS = 'generation, version, last_operation, state'

export function createKeptReads(pool: pg.Pool): KeptReads {
  return {
    async load(viewer) {
      const { rows } = await pool.query<StateRow & { waiting: OperationRow[] | null }>({
        name: 'reads_load',
        text: `select ${COLUMNS}, (select json_agg(json_build_object('id', o.id, 'version', o.version, 'operation', o.operation)
            order by o.id) from read_operations o where o.user_id = s.user_id and o.id > s.last_operation) as waiting
          from read_states s where s.user_id = $1`,
        values: [viewer],
      })
      const row = rows[0]
      return row
        ? { reads: toReads(row), waiting: (row.waiting ?? []).map(toStored) }
        : { reads: emptyReads(), waiting: [] }
    },

    hold: (viewer, work) =>
      inTransaction(pool, async (tx) => {
        const row = await lock(tx, viewer)
        const { rows } = await tx.query<OperationRow>(
          'select id, version, operation from read_operations where user_id = $1 and id > $2 order by id',
          [viewer, row.last_operation],
        )
        return work(held(tx, viewer, toReads(row), rows.map(toStored)))
      }),

    async save(states) {
      await pool.query({
        name: 'reads_save',
        text: `with stored as (
            update read_states s set generation = n.generation, version = n.version, last_operation = n.last_operation, state = n.state
            from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::jsonb[])
              as n(user_id, generation, version, last_operation, state)
            where s.user_id = n.user_id
              and (s.generation < n.generation or (s.generation = n.generation and s.version < n.version))
            returning s.user_id, s.last_operation)
          delete from read_operations o using stored s where o.user_id = s.user_id and o.id <= s.last_operation`,
        values: [
          states.map(({ viewer }) => viewer),
          states.map(({ reads }) => reads.generation),
          states.map(({ reads }) => reads.version),
          states.map(({ reads }) => reads.lastOperation),
          states.map(({ reads }) => JSON.stringify(toKept(reads))),
        ],
      })
    },

    keep: (viewer, operation) =>
      inTransaction(pool, async (tx) => {
        const row = await lock(tx, viewer)
        const { rows } = await tx.query<{ version: string }>(
          `insert into read_operations (user_id, operation_id, version, operation)
           select $1, $2, 1 + greatest($3::bigint, (select max(o.version) from read_operations o where o.user_id = $1)), $4
           on conflict (operation_id) do update set operation_id = excluded.operation_id returning version`,
          [viewer, operation.id, Number(row.version) + VERSION_STEP, JSON.stringify(operation)],
        )
        return { version: Number(rows[0]!.version) }
      }),

    async waiting(limit) {
      const { rows } = await pool.query<{ user_id: string }>('select distinct user_id from read_operations limit $1', [
        limit,
      ])
      return rows.map(({ user_id }) => user_id)
    },
  }
}

/** The person's row, made if there is none, held until the transaction ends. */
async function lock(tx: Queryable, viewer: string): Promise<StateRow> {
  await tx.query(
    `insert into read_states (user_id, generation, version, state) values ($1, nextval('read_generations'), 0, $2)
     on conflict (user_id) do nothing`,
    [viewer, JSON.stringify(NOTHING)],
  )
  const { rows } = await tx.query<StateRow>(`select ${COLUMNS} from read_states where user_id = $1 for update`, [
    viewer,
  ])
  return rows[0]!
}

const held = (tx: Queryable, viewer: string, reads: PersonReads, waiting: Stored[]): HeldReads => ({
  reads,
  waiting,
  async raise() {
    const { rows } = await tx.query<{ generation: string; version: string }>(
      `update read_states set generation = nextval('read_generations'), version = version + $2
       where user_id = $1 returning generation, version`,
      [viewer, VERSION_STEP],
    )
    return { ...reads, generation: Number(rows[0]!.generation), version: Number(rows[0]!.version) }
  },
  async newestIn(segments) {
    const { rows } = await tx.query<{ at: Date | null }>(
      `select (select a.published_at from activities a where a.topic_id = s.topic_id and a.no < s.until order by a.no desc limit 1) as at
       from unnest($1::int[], $2::bigint[]) with ordinality as s(topic_id, until, place) order by s.place`,
      [segments.map(({ topicId }) => topicId), segments.map(({ index }) => (index + 1) * SEGMENT_BITS)],
    )
    return rows.map(({ at }) => at?.getTime() ?? 0)
  },
})

const toReads = (row: StateRow): PersonReads =>
  fromKept(row.state, {
    generation: Number(row.generation),
    version: Number(row.version),
    lastOperation: Number(row.last_operation),
  })

const toStored = ({ id, version, operation }: OperationRow): Stored => ({
  operation,
  order: Number(id),
  version: Number(version),
})
