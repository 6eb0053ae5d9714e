// Names of topics for operators, who see work of all of them.
import type pg from 'pg'

export type TopicNames = (ids: number[]) => Promise<Record<number, string>>

export const createTopicNames =
  (pool: pg.Pool): TopicNames =>
  async (ids) => {
    if (ids.length === 0) return {}
    const { rows } = await pool.query<{ id: number; name: string }>('select id, name from topics where id = any($1)', [
      ids,
    ])
    return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
  }
