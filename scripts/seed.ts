// `npm run seed -- --activities 1000000 --topics 10000 --people 100 --follows 200`: fills the database of DATABASE_URL,
// or the embedded one, which serves one process at a time and so must not be in use.
import { parseArgs } from 'node:util'
import { EnvError, readEnv } from '#server/config/env.ts'
import { migrateDatabase } from '#server/db/migrate.ts'
import { openPool } from '#server/db/pool.ts'
import { DataDirInUse, lockDataDir } from '#server/embedded/data-lock.ts'
import { startPglite } from '#server/embedded/pglite.ts'
import { progress } from './progress.ts'
import { type FillSize, fillDatabase } from './seed/fill-database.ts'

class UsageError extends Error {}

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

async function seed(size: FillSize): Promise<void> {
  const env = readEnv(process.env, 'development')
  const stops: (() => Promise<unknown>)[] = []
  try {
    let target: Parameters<typeof openPool>[0]
    if (env.databaseUrl) target = { url: env.databaseUrl }
    else {
      stops.push((await lockDataDir(env.dataDir)).release)
      const pglite = await startPglite({ dataDir: env.dataDir, onProgress: progress })
      stops.push(pglite.stop)
      target = { stream: pglite.connect }
    }
    const pool = openPool(target, (error) => console.error(error.message))
    stops.push(() => pool.end())
    await migrateDatabase(pool)
    await fillDatabase(pool, { ...size, onProgress: progress })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** What a person can put right gets one line; everything else keeps its stack. */
function lineFor(error: unknown): string | null {
  if (error instanceof DataDirInUse)
    return 'The embedded database is in use by a running server: stop it first, or set DATABASE_URL.'
  if (error instanceof EnvError || error instanceof UsageError) return error.message
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    return error.message
  return null
}

try {
  await seed(readSize(process.argv.slice(2)))
  progress('Done.')
} catch (error) {
  const line = lineFor(error)
  if (line === null) throw error
  console.error(line)
  process.exitCode = 1
}
