// Once per run of the integration suites: a real Postgres with a migrated template database, the same as a dump for the
// embedded one, and a Redis for suites that do not need one of their own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '#server/db/migrate.ts'
import { openPool } from '#server/db/pool.ts'
import { startPglite } from '#server/embedded/pglite.ts'
import { databaseUrl, TEMPLATE_DATABASE } from './database-names.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { openRedis } from './redis.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of the database `postgres` on the real server, as superuser. */
    postgresUrl: string
    /** A dump of a migrated embedded database. */
    pgliteTemplate: string
    /** Shared by all suites of the run: use keys of your own, or `openRedis()` for a server of your own. */
    redisUrl: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'sf-templates-'))
  const pgliteTemplate = join(directory, 'migrated.tar')
  const [postgres, redis] = await Promise.all([startPostgres(), openRedis()])
  await Promise.all([makeServerTemplate(postgres), makeEmbeddedTemplate(pgliteTemplate)])

  project.provide('postgresUrl', postgres.url)
  project.provide('pgliteTemplate', pgliteTemplate)
  project.provide('redisUrl', redis.url)
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()])
    await rm(directory, { recursive: true, force: true })
  }
}

async function makeServerTemplate(server: PostgresServer): Promise<void> {
  const administrator = openPool({ url: server.url }, throwError)
  await administrator.query(`create database ${TEMPLATE_DATABASE}`)
  await administrator.end()
  const pool = openPool({ url: databaseUrl(server.url, TEMPLATE_DATABASE) }, throwError)
  await migrateDatabase(pool)
  await pool.end()
}

async function makeEmbeddedTemplate(path: string): Promise<void> {
  const pglite = await startPglite({ dataDir: null })
  const pool = openPool({ stream: pglite.connect }, throwError)
  await migrateDatabase(pool)
  await pool.end()
  await pglite.dump(path)
  await pglite.stop()
}

function throwError(error: Error): never {
  throw error
}
