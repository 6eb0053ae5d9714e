// A Postgres with our tables and a Redis, both of a benchmark's own.
import type pg from 'pg'
import { startPostgres } from '#scripts/testing/postgres-server.ts'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { openPool } from '#server/db/pool.ts'

export type BenchBackends = { pool: pg.Pool; databaseUrl: string; redisServer: TestRedis; stop: () => Promise<void> }

export async function openBenchBackends(): Promise<BenchBackends> {
  const postgres = await startPostgres()
  const redisServer = await openRedis()
  const pool = openPool({ url: postgres.url }, (error) => console.error(error.message))
  await migrateDatabase(pool)
  return {
    pool,
    databaseUrl: postgres.url,
    redisServer,
    stop: async () => {
      await pool.end()
      await redisServer.stop()
      await postgres.stop()
    },
  }
}
