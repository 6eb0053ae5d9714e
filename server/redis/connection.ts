// Connections to Redis. Commands fail at once while Redis is away (Postgres keeps what matters and the sweep brings it
// back), instead of piling up in memory.
import { createClient } from 'redis'
import type { Log } from '#server/telemetry/logger.ts'

export type RedisTarget = { url: string } | { socketPath: string }
export type RedisConnection = ReturnType<typeof createConnection>

const RECONNECT_MAX_MS = 1_000
/** Redis sits beside us: a connect that takes longer has failed. */
const CONNECT_TIMEOUT_MS = 3_000
/** About three seconds: enough for a Redis that starts beside us, and a wrong REDIS_URL is still said soon. */
const FIRST_CONNECT_RETRIES = 6

function createConnection(target: RedisTarget, log: Log) {
  let everReady = false
  const reconnectStrategy = (retries: number) =>
    !everReady && retries >= FIRST_CONNECT_RETRIES ? false : Math.min(50 * 2 ** retries, RECONNECT_MAX_MS)
  const socket =
    'socketPath' in target
      ? { path: target.socketPath, tls: false as const, reconnectStrategy, connectTimeout: CONNECT_TIMEOUT_MS }
      : { reconnectStrategy, connectTimeout: CONNECT_TIMEOUT_MS }
  const client = createClient({
    ...('url' in target ? { url: target.url } : {}),
    socket,
    RESP: 2,
    disableOfflineQueue: true,
  })
  let reported = ''
  client.on('error', (error: Error) => {
    // The client reports every failed try; one line for each new reason is enough.
    if (error.message === reported) return
    reported = error.message
    log.warn({ err: error }, 'redis connection failed')
  })
  client.on('ready', () => {
    everReady = true
    reported = ''
  })
  return client
}

export async function connectRedis(target: RedisTarget, log: Log): Promise<RedisConnection> {
  const client = createConnection(target, log)
  await client.connect()
  return client
}

/** Another connection of the same kind, for blocking reads and subscriptions. */
export async function connectBeside(client: RedisConnection): Promise<RedisConnection> {
  const beside = client.duplicate()
  beside.on('error', () => {
    // The reader of this connection sees the failure as a rejected command and says so.
  })
  await beside.connect()
  return beside
}
