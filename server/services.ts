// The only place where adapters are built and wired. Everything that starts here stops here, in reverse order.
import { createHmac, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import { type Clock, type Random, systemClock, systemRandom } from '#shared/clock.ts'
import type { Person } from '#shared/person.ts'
import type { Position } from '#shared/position.ts'
import type { Canary } from './app/canary.ts'
import { type ChangeActivity, createChangeActivity } from './app/change-activity.ts'
import { type ChangeTopics, createChangeTopics } from './app/change-topics.ts'
import { type Converse, createConverse } from './app/converse.ts'
import type { EdgeSessions } from './app/edge-sessions.ts'
import { createIngestActivities } from './app/ingest-activities.ts'
import { createManageKeys, type ManageKeys } from './app/manage-keys.ts'
import type { ManageWebhooks } from './app/manage-webhooks.ts'
import { createMarkRead, type MarkRead } from './app/mark-read.ts'
import type { RequestLog } from './app/ports.ts'
import { createPublishActivity, type PublishActivity } from './app/publish-activity.ts'
import { createReadFeed, type ReadFeed } from './app/read-feed.ts'
import type { ReadStore } from './app/read-ports.ts'
import { createRelay, type Relay } from './app/relay-outbox.ts'
import { type Bell, createBell } from './app/ring-bell.ts'
import type { SaveReads } from './app/save-reads.ts'
import { createSearchActivities, type SearchActivities } from './app/search-activities.ts'
import { createCanaryServices } from './canary-services.ts'
import * as tuning from './config/tuning.ts'
import { createActivityChanges } from './db/activity-changes.ts'
import { createActivityStore } from './db/activity-store.ts'
import { createConversationStore } from './db/conversation-store.ts'
import { createExpiredRows } from './db/expired.ts'
import { createKeyStore } from './db/key-store.ts'
import { createNoticeStore } from './db/notice-store.ts'
import { createOutbox } from './db/outbox.ts'
import { createPeopleStore } from './db/people-store.ts'
import { createRetention } from './db/retention.ts'
import { createSearchStore } from './db/search-store.ts'
import { createTopicStore } from './db/topic-store.ts'
import { createDeliveryServices, type DeliveryServices, type DeliveryTargets } from './delivery-services.ts'
import { createDemoBot, type DemoBot } from './demo/demo-bot.ts'
import type { EdgeTarget } from './edge-client/edge-caller.ts'
import { createEdgeServices, withEdge } from './edge-services.ts'
import type { EgressDeps } from './http/egress-route.ts'
import type { IngestDeps } from './http/ingest-route.ts'
import { noteRequests } from './http/note-requests.ts'
import { every, type Loop } from './jobs/every.ts'
import { replayAfter } from './live/resume.ts'
import { createLiveServices, type LiveOptions, type LiveServices } from './live-services.ts'
import { createReadServices } from './read-services.ts'
import { createActivityLog } from './redis/activity-log.ts'
import type { RedisConnection } from './redis/connection.ts'
import { sampleMemory } from './redis/memory-sample.ts'
import { createPersonalBus } from './redis/personal-bus.ts'
import { createRateLimitStore } from './redis/rate-limit-store.ts'
import type { LossReport } from './telemetry/live-metrics.ts'
import { type Log, warnTo } from './telemetry/logger.ts'
import { createMemoryMetrics, createPublishMetrics, watchPool } from './telemetry/store-metrics.ts'
import { createWebhookServices } from './webhook-services.ts'

/** What the API's procedures use. */
export type AppServices = {
  publishActivity: PublishActivity
  readFeed: ReadFeed
  changeTopics: ChangeTopics
  markRead: MarkRead
  changeActivity: ChangeActivity
  converse: Converse
  bell: Bell
  manageKeys: ManageKeys
  webhooks: ManageWebhooks
  requests: RequestLog
  searchActivities: SearchActivities
  /** Null: there is no edge. */
  edgeSessions: EdgeSessions | null
  demoBot: DemoBot | null
  ops: DeliveryServices['ops']
  reportLoss: (report: LossReport) => void
  reportRendered: (millis: number[]) => void
  product: { mode: 'development' | 'production'; oidcName: string | null }
}

export type Services = AppServices &
  Omit<LiveServices, 'resume' | 'listen' | 'loops'> & {
    relay: Relay
    canary: Canary | null
    delivery: DeliveryServices
    reads: ReadStore
    saveReads: SaveReads
    ingest: IngestDeps
    egress: EgressDeps
    ensurePersonalTopic: (person: Person) => Promise<void>
    endSession: (userId: string, sessionId: string) => Promise<void>
    start: () => Promise<void>
    stop: () => Promise<void>
  }

export type ServicesOptions = LiveOptions & {
  pool: pg.Pool
  redis: RedisConnection
  log: Log
  product: AppServices['product']
  demoBot?: boolean
  /** Left out: nobody publishes by itself. */
  canary?: boolean
  /** What the secrets of GitHub sources and of webhooks are derived from. */
  sourceSecret: string
  registry: Registry
  /** People may have their webhooks sent to addresses that are not public, and over plain http. */
  privateWebhooks?: boolean
  /** Where things leave the house to; left out: nothing does. */
  webhook?: DeliveryTargets['webhook']
  edge?: EdgeTarget | null
  clock?: Clock
  random?: Random
}

export function createServices(options: ServicesOptions): Services {
  const { pool, redis, log, product, clock = systemClock, random = systemRandom } = options
  const warn = warnTo(log)

  watchPool(options.registry, pool)
  const memory = createMemoryMetrics(options.registry)
  const activities = createActivityStore(pool)
  const topics = createTopicStore(pool)
  const people = createPeopleStore(pool)
  const outbox = createOutbox(pool)
  const expiredRows = createExpiredRows(pool)
  const retention = createRetention(pool)
  const activityLog = createActivityLog(redis)
  const edge = options.edge
    ? createEdgeServices({
        ...{ pool, redis, outbox, warn, clock, target: options.edge, beatAgeMs: () => tail.beatAgeMs },
      })
    : null
  const personalBus = createPersonalBus(redis)
  const bus = edge ? withEdge(personalBus, edge.sessions, warn) : personalBus

  const readState = createReadServices({
    ...{ pool, redis, topics, clock, warn, registry: options.registry },
    // Without a beat for so long its connection may be dead without knowing it.
    isCurrent: () => live.tail.isFollowing && (live.tail.beatAgeMs ?? Number.POSITIVE_INFINITY) <= tuning.BEAT_LATE_MS,
  })
  const { reads, saveReads } = readState
  const relay = createRelay(outbox, activityLog)
  const publishActivity = createPublishActivity({
    activities,
    outbox,
    relay,
    onCommitted: readState.hearOwn,
    onRelayError: warn('log append put off'),
    onPublished: createPublishMetrics(options.registry).published,
  })
  const changeActivity = createChangeActivity({
    changes: createActivityChanges(pool),
    handToLog: publishActivity.handToLog,
  })
  const canary = options.canary
    ? createCanaryServices({ ...{ pool, clock, warn, registry: options.registry }, publish: publishActivity.publish })
    : null
  const converse = createConverse({
    conversations: createConversationStore(pool),
    handToLog: publishActivity.handToLog,
  })
  const changeTopics = createChangeTopics({
    topics,
    people,
    reads,
    bus,
    relay,
    followsChanged: readState.followsChanged,
    onTellError: warn('change not told at once'),
  })
  const markRead = createMarkRead({
    activities,
    reads,
    topics,
    bus,
    onTellError: warn('marks not told at once'),
  })

  const bell = createBell({ notices: createNoticeStore(pool), bus, onTellError: warn('bell not told at once') })
  const keys = createKeyStore(pool)
  const sourceSecret = (prefix: string) =>
    createHmac('sha256', options.sourceSecret).update(`github source ${prefix}`).digest('base64url')
  const manageKeys = createManageKeys({ keys, topics, clock, randomBytes, sourceSecret })
  const webhooks = createWebhookServices({
    ...{
      pool,
      redis,
      topics,
      clock,
      warn,
      secret: options.sourceSecret,
      allowPrivate: options.privateWebhooks ?? false,
    },
    edge: options.edge ?? null,
    onPaused: (userId) => void bell.tell(userId),
  })
  const ingest: IngestDeps = {
    note: noteRequests({ requests: webhooks.requests, onError: warn('request of a tool not noted') }),
    ingest: createIngestActivities({
      ...{ keys, publishActivity, clock, sourceSecret },
      usedEveryMs: tuning.KEY_USED_EVERY_MS,
      onUsedError: warn('use of a key not noted'),
    }),
    rateLimitStore: (prefix) => createRateLimitStore(redis, prefix, warn('tools are counted in this process only')),
  }

  const retentionMs = tuning.LOG_RETENTION_HOURS * 3_600_000
  const {
    listen,
    loops: liveLoops,
    resume,
    ...live
  } = createLiveServices({
    ...options,
    ...{ activityLog, outbox, relay, topics, reads, readState, bus, retentionMs, warn, clock, random },
    onEntry: canary?.saw,
  })
  const { hub, tail } = live
  const delivery = createDeliveryServices({
    ...{ pool, redis, outbox, log, clock, random, registry: options.registry },
    targets: { webhook: options.webhook ?? null, edge: edge?.relay ?? null },
    planner: webhooks.planner,
    connections: () => hub.size,
    beatAgeMs: () => tail.beatAgeMs,
  })

  const readFeed = createReadFeed({
    activities,
    topics,
    reads,
    log: {
      position: () => tail.position,
      missed: async (viewer: string, after: Position) => {
        // Before the rights: what came after somebody was removed lies beyond it.
        const until = tail.position
        const followed = await topics.followed(viewer)
        return replayAfter(
          resume,
          viewer,
          followed.topics.map(({ id }) => id),
          after,
          until,
        )
      },
    },
  })
  const demoBot = options.demoBot
    ? createDemoBot({ publish: publishActivity.publish, people, random, onError: warn('demo bot could not publish') })
    : null

  const cleanUp = async () => {
    const windowStart = clock.now() - tuning.ACTIVITY_WINDOW_DAYS * 24 * 3_600_000
    if (await readState.raiseFloors(new Date(windowStart)))
      await bus.send({ type: 'floors' }).catch(warn('floors not told at once'))
    await inBatches(retention.removeBelowFloors)
    await inBatches(retention.forgetDeleted)
    const before = clock.now() - retentionMs
    await delivery.delivery.upkeep.trim(before, tuning.LOG_MAX_ENTRIES)
    await inBatches((limit) => outbox.prune(new Date(before), limit))
    const keysBefore = new Date(clock.now() - tuning.IDEMPOTENCY_HOURS * 3_600_000)
    await inBatches(webhooks.prune)
    await inBatches((limit) => expiredRows.remove({ now: new Date(clock.now()), keysBefore }, limit))
  }
  let loops: Loop[] = []

  return {
    publishActivity,
    readFeed,
    changeTopics,
    markRead,
    changeActivity,
    converse,
    bell,
    manageKeys,
    webhooks: webhooks.webhooks,
    requests: webhooks.requests,
    egress: webhooks.egress,
    edgeSessions: edge?.sessions ?? null,
    searchActivities: createSearchActivities({ search: createSearchStore(pool, tuning.SEARCH_STATEMENT_MS), topics }),
    demoBot,
    product,
    ops: delivery.ops,
    relay,
    canary,
    delivery,
    reads,
    saveReads,
    ...live,
    ingest,

    async ensurePersonalTopic(person) {
      await topics.create(person, {
        name: `user/${person.handle}`,
        description: `What ${person.name} shares.`,
        visibility: 'public',
        posting: 'owners',
      })
    },

    endSession: (userId, sessionId) =>
      bus.send({ type: 'signed-out', userId, sessionId }).catch(warn('sign-out not told to open streams')),

    async start() {
      await listen()
      delivery.delivery.start()
      readState.renewFacts()
      loops = [
        every(tuning.SWEEP_MS, relay.sweep, warn('sweep put off')),
        every(tuning.RECONCILE_MS, relay.reconcile, warn('reconciling put off')),
        ...(canary?.loops() ?? []),
        every(tuning.CLEAN_UP_MS, cleanUp, warn('clean-up put off')),
        ...readState.loops(),
        ...liveLoops(),
        every(tuning.MEMORY_SAMPLE_MS, async () => memory.show(await sampleMemory(redis)), warn('memory not sampled')),
        ...webhooks.loops(),
        ...(edge?.loops() ?? []),
        every(tuning.DELIVERY_FIGURES_MS, delivery.refreshFigures, warn('figures of delivery not read')),
      ]
      demoBot?.start()
    },

    async stop() {
      demoBot?.stop()
      live.events.drain()
      await Promise.all(loops.map((loop) => loop.stop()))
      await publishActivity.settle()
      await delivery.delivery.stop()
      await tail.stop()
      await saveReads.run().catch(warn('read state is left to be saved by others'))
      bus.stop()
    },
  }
}

/** Until nothing is left, a batch at a time, so that no lock is held for long. */
async function inBatches(remove: (limit: number) => Promise<number>): Promise<void> {
  while ((await remove(tuning.CLEAN_UP_BATCH)) >= tuning.CLEAN_UP_BATCH);
}
