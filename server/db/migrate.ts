// Brings the database to the newest schema. Safe when several processes start together: a session lock on one
// connection makes the others wait and then find nothing to do.
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import type pg from 'pg'

const MIGRATIONS = fileURLToPath(new URL('../../drizzle/migrations', import.meta.url))
/** Any constant; it only has to be the same in every process. */
const MIGRATION_LOCK = 7_340_001

export async function migrateDatabase(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    try {
      await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
    } finally {
      await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
    }
  } finally {
    client.release()
  }
}
