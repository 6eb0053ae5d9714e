// Fresh, migrated databases for integration suites, on both kinds of Postgres that the product runs on: the embedded
// one and a real server. Migrations ran once, in global-setup.ts; every call here starts from a copy of the result.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { describe, inject } from 'vitest'
import { openPool } from '#server/db/pool.ts'
import { startPglite } from '#server/embedded/pglite.ts'
import { databaseUrl, TEMPLATE_DATABASE } from './database-names.ts'

export type DatabaseKind = 'pglite' | 'postgres'

export type TestDatabase = {
  kind: DatabaseKind
  pool: pg.Pool
  /** Only a real server has an address, for a second pool or another process. */
  url: string | null
  stop: () => Promise<void>
}

export function openDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  return kind === 'pglite' ? openEmbedded() : openOnServer()
}

/**
 * Runs a suite once on each kind: `eachDatabase('[FEED-1] topics', (open) => { … await open() … })`. Stop each
 * database that you open in `afterAll` or `afterEach`.
 */
export function eachDatabase(
  name: string,
  suite: (open: () => Promise<TestDatabase>, kind: DatabaseKind) => void,
): void {
  for (const kind of ['pglite', 'postgres'] as const) {
    describe(`${name} (${kind})`, () => suite(() => openDatabase(kind), kind))
  }
}

async function openEmbedded(): Promise<TestDatabase> {
  const pglite = await startPglite({ dataDir: null, template: inject('pgliteTemplate') })
  const pool = openPool({ stream: pglite.connect }, fail)
  const stop = async () => {
    await pool.end()
    await pglite.stop()
  }
  return { kind: 'pglite', pool, url: null, stop }
}

async function openOnServer(): Promise<TestDatabase> {
  const name = `sf_${randomBytes(6).toString('hex')}`
  await asAdministrator(`create database ${name} template ${TEMPLATE_DATABASE}`)
  const url = databaseUrl(inject('postgresUrl'), name)
  let stopping = false
  const pool = openPool({ url }, (error) => {
    // Dropping by force ends connections that are just saying goodbye.
    if (!stopping) fail(error)
  })
  const stop = async () => {
    stopping = true
    await pool.end()
    await asAdministrator(`drop database ${name} with (force)`)
  }
  return { kind: 'postgres', pool, url, stop }
}

function fail(error: Error): never {
  throw error
}

/** `create database` copies the template only while nobody is connected to it, so nobody ever connects to it. */
async function asAdministrator(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
