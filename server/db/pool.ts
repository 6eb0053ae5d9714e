// Opens the one kind of database connection we have: the `pg` driver, to a server or to the embedded Postgres (which
// gives it a stream to speak the same protocol over).
import type { Duplex } from 'node:stream'
import pg from 'pg'

const POOL_SIZE = 10

export type DatabaseTarget = { url: string } | { stream: () => Duplex }

/** `onIdleError`: a connection that nobody uses broke. The pool replaces it; without a listener it would end the process. */
export function openPool(target: DatabaseTarget, onIdleError: (error: Error) => void): pg.Pool {
  const pool =
    'url' in target
      ? new pg.Pool({ connectionString: target.url, max: POOL_SIZE, connectionTimeoutMillis: 5_000 })
      : // One connection is all that the embedded Postgres has.
        new pg.Pool({ user: 'postgres', database: 'postgres', max: 1, ssl: false, stream: target.stream })
  pool.on('error', onIdleError)
  return pool
}
