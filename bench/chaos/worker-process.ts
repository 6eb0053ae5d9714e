// A server process without its HTTP side: publishes when told, relays its outbox, and delivers. It is there to be killed.
// Times are short; their relations are those of the product.
import { Registry } from 'prom-client'
import { createPublishActivity } from '#server/app/publish-activity.ts'
import { createRelay } from '#server/app/relay-outbox.ts'
import { createActivityStore } from '#server/db/activity-store.ts'
import { createOutbox } from '#server/db/outbox.ts'
import { openPool } from '#server/db/pool.ts'
import { createDeliveryServices } from '#server/delivery-services.ts'
import { givenToken } from '#server/edge-client/edge-tokens.ts'
import { createEdgeServices } from '#server/edge-services.ts'
import { every } from '#server/jobs/every.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { connectRedis } from '#server/redis/connection.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { systemClock, systemRandom } from '#shared/clock.ts'

export type WorkerSettings = {
  databaseUrl: string
  redisUrl: string
  hookUrl: string
  edgeUrl: string
  verbose: boolean
}
export type WorkerOrder = { topic: string; summaries: string[] }

const TIMES = {
  ...{ pelIdleMs: 2_500, handlerTimeoutMs: 1_000, retryMs: 20, blockMs: 50, adoptEveryMs: 200 },
  ...{ owedAgeMs: 3_000, owedEveryMs: 500, edgeLeaseMs: 800, pace: 50 },
}
const SWEEP_MS = 100
const RECONCILE_MS = 200
const ADA = { actor: { kind: 'person', id: 'ada', handle: 'ada', name: 'Ada' }, source: 'web', scope: 'ada' } as const

const settings = JSON.parse(process.argv[2]!) as WorkerSettings
const log = createLogger({ mode: 'production', logLevel: settings.verbose ? 'warn' : 'silent' })
const ignore = (error: unknown) => log.warn({ err: error }, 'put off')
const pool = openPool({ url: settings.databaseUrl }, ignore)
const redis = await connectRedis({ url: settings.redisUrl }, log)
const outbox = createOutbox(pool)
const relay = createRelay(outbox, createActivityLog(redis))
const publisher = createPublishActivity({ outbox, relay, activities: createActivityStore(pool), onRelayError: ignore })
const warn = () => ignore
const { relay: edge } = createEdgeServices({
  ...{ pool, redis, outbox, warn, clock: systemClock, beatAgeMs: () => null },
  target: { url: settings.edgeUrl, publicUrl: null, tokens: givenToken('the simulator takes any') },
  leaseMs: TIMES.edgeLeaseMs,
})
const { delivery } = createDeliveryServices({
  ...{ pool, redis, outbox, log, clock: systemClock, random: systemRandom, registry: new Registry() },
  targets: {
    webhook: { url: settings.hookUrl, secret: 'a-secret-for-the-simulator' },
    edge,
  },
  connections: () => 0,
  beatAgeMs: () => null,
  times: TIMES,
})
delivery.start()
every(SWEEP_MS, relay.sweep, ignore)
every(RECONCILE_MS, relay.reconcile, ignore)

process.on('message', ({ topic, summaries }: WorkerOrder) => {
  for (const summary of summaries)
    publisher.publish(ADA, { topic, verb: 'posted', summary, metadata: {} }).catch(ignore)
})
// The parent is gone: so are we.
process.on('disconnect', () => process.exit(0))
process.send!('ready')
