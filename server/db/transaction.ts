// One transaction on one connection. Inside, only `tx` may be used: the embedded Postgres has a single connection, and
// asking the pool for another one would wait for ever.
import type pg from 'pg'

export type Queryable = Pick<pg.PoolClient, 'query'>

export async function inTransaction<T>(pool: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const value = await work(client)
    await client.query('commit')
    return value
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      // The connection is lost, and the transaction with it: the pool must not hand it out again.
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}
