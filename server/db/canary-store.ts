import type pg from 'pg'
import type { CanaryStore } from '#server/app/ports.ts'
import { inTransaction } from './transaction.ts'

export function createCanaryStore(pool: pg.Pool): CanaryStore {
  return {
    ensure: (name) =>
      inTransaction(pool, async (client) => {
        await client.query(
          `insert into topics (name, description, visibility, posting) values ($1, 'Says whether the way is free.', 'private', 'owners')
           on conflict (name) do nothing`,
          [name],
        )
        const { rows } = await client.query<{ id: number }>('select id from topics where name = $1', [name])
        const { id } = rows[0]!
        await client.query('insert into topic_heads (topic_id) values ($1) on conflict do nothing', [id])
        return id
      }),

    async keepNewest(topicId, count) {
      await pool.query('update topic_heads set floor_no = no - $2 where topic_id = $1 and no - $2 > floor_no + $2', [
        topicId,
        count,
      ])
    },
  }
}
