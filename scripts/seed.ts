// `npm run seed -- --activities 1000000 --topics 10000 --people 100 --follows 200`: fills the database of DATABASE_URL, or
// the embedded one. That one belongs to one process at a time: while a server runs, the statements go through it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EnvError, readEnv } from '#server/config/env.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { openPool } from '#server/db/pool.ts'
import { DataDirInUse, lockDataDir } from '#server/embedded/data-lock.ts'
import { knock } from '#server/embedded/database-door.ts'
import { startPglite } from '#server/embedded/pglite.ts'
import { progress } from './progress.ts'
import { ROOT } from './repository-files.ts'
import { type Database, type FillSize, fillDatabase } from './seed/fill-database.ts'

class UsageError extends Error {}

type Opened = { database: Database; stop: () => Promise<unknown> }

function readSize(args: string[]): FillSize {
  const option = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const { values } = parseArgs({
    args,
    options: {
      activities: option('10000'),
      topics: option('100'),
      people: option('10'),
      follows: option('20'),
    },
  })
  const number = (name: keyof typeof values) => {
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${name} must be a whole number above 0.`)
    return value
  }
  return {
    activities: number('activities'),
    topics: number('topics'),
    people: number('people'),
    follows: number('follows'),
  }
}

async function openTarget(): Promise<Opened> {
  const env = readEnv(process.env, 'development')
  if (env.databaseUrl) return openDirectly({ url: env.databaseUrl }, [])
  try {
    const lock = await lockDataDir(env.dataDir)
    const pglite = await startPglite({ dataDir: env.dataDir, onProgress: progress })
    return await openDirectly({ stream: pglite.connect }, [lock.release, pglite.stop])
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    const door = await knock(env.dataDir)
    if (door === null) throw error
    progress('The server that runs on this data directory fills it; whoever is signed in reloads to see new topics.')
    return { database: { query: door.run }, stop: async () => door.close() }
  }
}

async function openDirectly(target: Parameters<typeof openPool>[0], stops: (() => Promise<unknown>)[]) {
  const pool = openPool(target, (error) => console.error(error.message))
  const stop = async () => {
    await pool.end()
    for (const one of stops.toReversed()) await one()
  }
  try {
    await migrateDatabase(pool)
    return { database: pool, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What a person can put right gets one line; everything else keeps its stack. */
function lineFor(error: unknown): string | null {
  if (error instanceof DataDirInUse)
    return 'The embedded database is in use by a process that cannot fill it: stop it first, or set DATABASE_URL.'
  if (error instanceof EnvError || error instanceof UsageError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('ERR_PARSE_ARGS')) return (error as Error).message
  if (code === 'ECONNREFUSED') return 'Nothing answers at DATABASE_URL.'
  return null
}

try {
  const size = readSize(process.argv.slice(2))
  const settings = join(ROOT, '.env')
  // The same settings as the server's; what is set outside wins over the file.
  if (existsSync(settings)) process.loadEnvFile(settings)
  const { database, stop } = await openTarget()
  try {
    await fillDatabase(database, { ...size, onProgress: progress })
  } finally {
    await stop()
  }
  progress('Done.')
} catch (error) {
  const line = lineFor(error)
  if (line === null) throw error
  console.error(line)
  process.exitCode = 1
}
