// Where operators' commands work: on the servers of DATABASE_URL and REDIS_URL, or on those of the product that runs on
// the data directory: its Redis directly, its database through its own door.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readEnv } from '#server/config/env.ts'
import { openPool } from '#server/db/pool.ts'
import type { Statements } from '#server/db/statements.ts'
import { knock } from '#server/embedded/database-door.ts'
import { connectRedis, type RedisConnection, type RedisTarget } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'

export class OpsError extends Error {}

export type OpsTarget = { redis: RedisConnection; database: Statements; stop: () => Promise<void> }

const NOT_RUNNING =
  'Nothing runs on this data directory: start the product first, or set DATABASE_URL and REDIS_URL to the servers.'

export async function openOpsTarget(environment: Record<string, string | undefined>): Promise<OpsTarget> {
  const env = readEnv(environment, 'development')
  const database = await openDatabase(env)
  try {
    const redis = await openRedis(env)
    return {
      redis,
      database: database.statements,
      stop: async () => {
        redis.destroy()
        await database.stop()
      },
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

type Env = ReturnType<typeof readEnv>

async function openDatabase(env: Env): Promise<{ statements: Statements; stop: () => Promise<void> }> {
  if (env.databaseUrl) {
    const pool = openPool({ url: env.databaseUrl }, (error) => console.error(error.message))
    return { statements: pool, stop: () => pool.end() }
  }
  const door = await knock(env.dataDir)
  if (door === null) throw new OpsError(NOT_RUNNING)
  return { statements: { query: door.run }, stop: async () => door.close() }
}

async function openRedis(env: Env): Promise<RedisConnection> {
  const socketPath = join(env.dataDir, 'redis', 'redis.sock')
  if (!env.redisUrl && !existsSync(socketPath)) throw new OpsError(NOT_RUNNING)
  const target: RedisTarget = env.redisUrl ? { url: env.redisUrl } : { socketPath }
  try {
    return await connectRedis(target, createLogger({ mode: 'production', logLevel: 'silent' }))
  } catch (error) {
    throw new OpsError('Redis does not answer.', { cause: error })
  }
}
