// A server process: environment → data services → HTTP → listen; stops in reverse order. `npm run dev` and `npm start`
// both end here.

import type pg from 'pg'
import { systemClock, systemRandom } from '#shared/clock.ts'
import { createAccounts } from './accounts/accounts.ts'
import { DEMO_PASSWORD, DEMO_PEOPLE, demoEmail, ensureDemoPeople } from './accounts/demo-people.ts'
import { type Env, type Mode, readEnv } from './config/env.ts'
import { keptSecret } from './config/kept-secret.ts'
import { migrateDatabase } from './db/migrate.ts'
import { openPool } from './db/pool.ts'
import { seedDemo } from './demo/seed-demo.ts'
import type { EdgeTarget } from './edge-client/edge-caller.ts'
import { edgeKey } from './edge-client/edge-keys.ts'
import { createEdgeTokens, givenToken } from './edge-client/edge-tokens.ts'
import { lockDataDir } from './embedded/data-lock.ts'
import { openDoor } from './embedded/database-door.ts'
import { startPglite } from './embedded/pglite.ts'
import { startEmbeddedRedis } from './embedded/redis.ts'
import { createHttpApp } from './http/app.ts'
import { builtClient, viteClient } from './http/client-routes.ts'
import { egressRoute } from './http/egress-route.ts'
import type { Readiness } from './http/health-routes.ts'
import { ingestRoute } from './http/ingest-route.ts'
import { closeHttp, createHttpServer, listen } from './http/server.ts'
import { pollingRateLimit } from './middleware/polling-rate-limit.ts'
import { connectRedis, type RedisConnection } from './redis/connection.ts'
import { createAppRouter } from './routers.ts'
import { createServices } from './services.ts'
import { createLogger, type Log, roomLog } from './telemetry/logger.ts'
import { createMetrics } from './telemetry/metrics.ts'

export type GatherMetrics = (own: () => Promise<string>) => () => Promise<string>
export type RunningServer = { port: number; stop: () => Promise<void> }

export async function runServer({
  mode,
  environment,
  say = console.log,
  gatherMetrics,
}: {
  mode: Mode
  environment: Record<string, string | undefined>
  say?: (line: string) => void
  /** Given one's own figures, those of all processes behind the port. */
  gatherMetrics?: GatherMetrics
}): Promise<RunningServer> {
  const env = readEnv(environment, mode)
  const log = createLogger(env)
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).reverse())
      await one().catch((error: unknown) => log.error({ err: error }, 'stopping a part failed'))
  }
  try {
    const pool = await openDatabase(env, stops, say, roomLog(log, 'db'))
    await migrateDatabase(pool)
    const redis = await openRedis(env, stops, say, roomLog(log, 'redis'))

    const secret = env.authSecret ?? keptSecret(env.dataDir)
    const metrics = createMetrics()
    const services = createServices({
      pool,
      redis,
      log: roomLog(log, 'feed'),
      product: { mode, oidcName: env.oidc?.name ?? null },
      demoBot: env.demoBot && env.seedDemo,
      admissionsPerSecond: env.admissionsPerSecond,
      sseWindowMs: env.sseWindowMs,
      pollCookie: {
        // Cookies know no ports: two copies on one machine would take each other's.
        name: env.publicOrigin ? 'signal-feed-poll' : `signal-feed-poll-${env.port}`,
        secret,
        secure: env.publicOrigin?.startsWith('https:') ?? false,
      },
      sourceSecret: secret,
      privateWebhooks: env.privateWebhooks,
      registry: metrics.registry,
      canary: env.canary,
      webhook: env.webhook,
      edge: edgeTarget(env, secret),
    })
    const accounts = createAccounts({
      pool,
      env,
      secret,
      log: roomLog(log, 'accounts'),
      onPersonCreated: services.ensurePersonalTopic,
      onSessionEnded: services.endSession,
      random: systemRandom,
      clock: systemClock,
    })
    if (env.seedDemo) {
      say('Preparing the demo …')
      await ensureDemoPeople(accounts.auth, pool)
      await seedDemo(
        pool,
        services,
        DEMO_PEOPLE.map(({ handle }) => handle),
      )
    }
    await services.start()
    stops.push(services.stop)

    const server = createHttpServer()
    const client = mode === 'development' ? await viteClient(server) : await builtClient()
    stops.push(client.stop)
    const app = createHttpApp({
      env,
      log,
      metrics,
      accounts,
      router: createAppRouter(services),
      live: services.events.open,
      knownSessions: services.knownSessions,
      polling: pollingRateLimit(services.polling),
      ingest: ingestRoute(services.ingest),
      egress: egressRoute(services.egress),
      readiness: () => readiness(pool, redis, services.tail.position !== null),
      client: client.routes,
      metricsToken: env.metricsToken,
      ...(gatherMetrics ? { metricsText: gatherMetrics(() => metrics.registry.metrics()) } : {}),
    })
    server.on('request', (req, res) => {
      if (!services.pollShortcut(req, res)) app(req, res)
    })
    const port = await listen(server, env.port, env.host)
    stops.push(async () => {
      const closed = closeHttp(server)
      services.events.drain()
      await closed
    })
    const shown = ['0.0.0.0', '::', '127.0.0.1'].includes(env.host) ? 'localhost' : env.host
    say(`Signal Feed is ready: http://${shown}:${port}`)
    if (env.seedDemo)
      say(`Sign in as ${demoEmail('ada')} (operator) or ${demoEmail('linus')}, password ${DEMO_PASSWORD}`)
    return { port, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** With a token that was given to us we write and nothing else; with the key of our own we also let browsers read. */
function edgeTarget({ edgeUrl, edgePublicUrl, edgeToken }: Env, secret: string): EdgeTarget | null {
  if (edgeUrl === null) return null
  const tokens = edgeToken === null ? createEdgeTokens(edgeKey(secret), systemClock) : givenToken(edgeToken)
  return { url: edgeUrl, publicUrl: edgePublicUrl, tokens }
}

type Stops = (() => Promise<unknown>)[]
type Say = (line: string) => void

async function openDatabase(env: Env, stops: Stops, say: Say, log: Log): Promise<pg.Pool> {
  let target: Parameters<typeof openPool>[0]
  if (env.databaseUrl) target = { url: env.databaseUrl }
  else {
    const lock = await lockDataDir(env.dataDir)
    stops.push(lock.release)
    say('Starting the embedded database …')
    const pglite = await startPglite({ dataDir: env.dataDir, onProgress: say })
    stops.push(pglite.stop)
    target = { stream: pglite.connect }
  }
  const pool = openPool(target, (error) => log.warn({ err: error }, 'a database connection was lost'))
  stops.push(() => pool.end())
  if (!env.databaseUrl) {
    // Commands such as `npm run seed` reach the embedded database through us.
    const door = await openDoor(env.dataDir, (statement) => pool.query(statement))
    if (door) stops.push(door.close)
  }
  return pool
}

async function openRedis(
  env: Env,
  stops: Stops,
  say: Say,
  log: Parameters<typeof connectRedis>[1],
): Promise<RedisConnection> {
  let target: Parameters<typeof connectRedis>[0]
  if (env.redisUrl) target = { url: env.redisUrl }
  else {
    say('Starting the embedded Redis …')
    const redis = await startEmbeddedRedis({ dataDir: env.dataDir, onProgress: say })
    stops.push(redis.stop)
    target = { socketPath: redis.socketPath }
  }
  const connection = await connectRedis(target, log)
  stops.push(async () => connection.destroy())
  return connection
}

async function readiness(pool: pg.Pool, redis: RedisConnection, tailing: boolean): Promise<Readiness> {
  // Anybody may ask, so the driver's own words stay inside.
  const works = (check: Promise<unknown>) =>
    check.then(
      () => true as const,
      () => 'does not answer',
    )
  const [postgres, log] = await Promise.all([works(pool.query('select 1')), works(redis.ping())])
  return { postgres, redis: log, tail: tailing || 'has not read the log yet' }
}
