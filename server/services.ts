// The only place where adapters are built and wired. Everything that starts here stops here, in reverse order.
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import { type Clock, type Random, systemClock, systemRandom } from '#shared/clock.ts'
import type { ActivityEvent, ControlEvent } from '#shared/live-events.ts'
import type { Person } from '#shared/person.ts'
import { type Position, printPosition } from '#shared/position.ts'
import { type ChangeTopics, createChangeTopics } from './app/change-topics.ts'
import { type Converse, createConverse } from './app/converse.ts'
import { FeedFacts } from './app/feed-facts.ts'
import { createIngestActivities } from './app/ingest-activities.ts'
import { createManageKeys, type ManageKeys } from './app/manage-keys.ts'
import { createMarkRead, type MarkRead } from './app/mark-read.ts'
import type { PersonalEvent, Presence, ReadStore } from './app/ports.ts'
import { createPublishActivity, type PublishActivity } from './app/publish-activity.ts'
import { createReadAccess } from './app/read-access.ts'
import { createReadFeed, type ReadFeed } from './app/read-feed.ts'
import { createReadState } from './app/read-state.ts'
import { createRelay, type Relay } from './app/relay-outbox.ts'
import { type Bell, createBell } from './app/ring-bell.ts'
import { createSaveReads, type SaveReads } from './app/save-reads.ts'
import { createSearchActivities, type SearchActivities } from './app/search-activities.ts'
import * as tuning from './config/tuning.ts'
import { createActivityStore } from './db/activity-store.ts'
import { createConversationStore } from './db/conversation-store.ts'
import { createExpiredRows } from './db/expired.ts'
import { createFactStore } from './db/fact-store.ts'
import { createKeyStore } from './db/key-store.ts'
import { createNoticeStore } from './db/notice-store.ts'
import { createOutbox } from './db/outbox.ts'
import { createPeopleStore } from './db/people-store.ts'
import { createKeptReads } from './db/read-store.ts'
import { createRetention } from './db/retention.ts'
import { createSearchStore } from './db/search-store.ts'
import { createSessionStore } from './db/session-store.ts'
import { createTopicStore } from './db/topic-store.ts'
import { createDeliveryServices, type DeliveryServices, type DeliveryTargets } from './delivery-services.ts'
import { createDemoBot, type DemoBot } from './demo/demo-bot.ts'
import type { IngestDeps } from './http/ingest-route.ts'
import { every } from './jobs/every.ts'
import { Admission } from './live/admission.ts'
import { auditConnections } from './live/audit.ts'
import { createEventsRoute } from './live/events-route.ts'
import { beatFrame, personalFrame } from './live/frames.ts'
import { Hub } from './live/hub.ts'
import { KnownSessions } from './live/known-sessions.ts'
import { createPollShortcut, type PollShortcut } from './live/poll-shortcut.ts'
import { PollState } from './live/poll-state.ts'
import { PollTokens } from './live/poll-token.ts'
import { type ResumeDeps, replayAfter } from './live/resume.ts'
import type { Framed } from './live/ring.ts'
import { Tail } from './live/tail.ts'
import type { PollingDeps } from './middleware/polling-rate-limit.ts'
import { createActivityLog } from './redis/activity-log.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createPersonalBus } from './redis/personal-bus.ts'
import { createPresence } from './redis/presence.ts'
import { createRateLimitStore } from './redis/rate-limit-store.ts'
import { createLiveReads } from './redis/read-state.ts'
import { createLiveMetrics, type LossReport } from './telemetry/live-metrics.ts'
import type { Log } from './telemetry/logger.ts'

/** What the API's procedures use. */
export type AppServices = {
  publishActivity: PublishActivity
  readFeed: ReadFeed
  changeTopics: ChangeTopics
  markRead: MarkRead
  converse: Converse
  bell: Bell
  manageKeys: ManageKeys
  searchActivities: SearchActivities
  demoBot: DemoBot | null
  ops: DeliveryServices['ops']
  reportLoss: (report: LossReport) => void
  product: { mode: 'development' | 'production'; oidcName: string | null }
}

export type Services = AppServices & {
  relay: Relay
  delivery: DeliveryServices
  reads: ReadStore
  saveReads: SaveReads
  tail: Tail
  hub: Hub
  presence: Presence
  knownSessions: KnownSessions
  audit: () => Promise<void>
  events: ReturnType<typeof createEventsRoute>
  polling: PollingDeps
  ingest: IngestDeps
  pollShortcut: PollShortcut
  ensurePersonalTopic: (person: Person) => Promise<void>
  endSession: (userId: string, sessionId: string) => Promise<void>
  start: () => Promise<void>
  stop: () => Promise<void>
}

export type ServicesOptions = {
  pool: pg.Pool
  redis: RedisConnection
  log: Log
  product: AppServices['product']
  demoBot?: boolean
  admissionsPerSecond: number
  sseWindowMs: number
  /** Signs what lets a poll be recognised without a query. */
  pollCookie: { name: string; secret: string; secure: boolean }
  /** What the secrets of GitHub sources are derived from. */
  sourceSecret: string
  registry: Registry
  /** Left out: nothing leaves the house. */
  targets?: DeliveryTargets
  clock?: Clock
  random?: Random
}

export function createServices(options: ServicesOptions): Services {
  const { pool, redis, log, product, clock = systemClock, random = systemRandom } = options
  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message)

  const activities = createActivityStore(pool)
  const topics = createTopicStore(pool)
  const people = createPeopleStore(pool)
  const outbox = createOutbox(pool)
  const expiredRows = createExpiredRows(pool)
  const retention = createRetention(pool)
  const activityLog = createActivityLog(redis)
  const bus = createPersonalBus(redis)

  const factStore = createFactStore(pool)
  const facts = new FeedFacts(factStore)
  const kept = createKeptReads(pool)
  const segmentMs = (tuning.BITMAP_TTL_SECONDS + tuning.BITMAP_GRACE_SECONDS) * 1_000
  const liveReads = createLiveReads(redis, { clock, idleMs: segmentMs })
  const saveReads = createSaveReads({ live: liveReads, kept, clock })
  const access = createReadAccess({
    live: liveReads,
    kept,
    saving: saveReads,
    clock,
    segmentMs,
    onAway: warn('read state is kept in Postgres until Redis is back'),
  })
  const reads = createReadState({ access, topics, facts, clock, segmentMs })

  const relay = createRelay(outbox, activityLog)
  const publishActivity = createPublishActivity({
    activities,
    outbox,
    relay,
    onRelayError: warn('log append put off'),
  })
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
    onTellError: warn('change not told at once'),
  })
  const markRead = createMarkRead({
    activities,
    reads,
    topics,
    bus,
    onTellError: warn('marks not told at once'),
  })

  const keys = createKeyStore(pool)
  const sourceSecret = (prefix: string) =>
    createHmac('sha256', options.sourceSecret).update(`github source ${prefix}`).digest('base64url')
  const manageKeys = createManageKeys({ keys, topics, clock, randomBytes, sourceSecret })
  const ingest: IngestDeps = {
    ingest: createIngestActivities({
      ...{ keys, publishActivity, clock, sourceSecret },
      usedEveryMs: tuning.KEY_USED_EVERY_MS,
      onUsedError: warn('use of a key not noted'),
    }),
    rateLimitStore: (prefix) => createRateLimitStore(redis, prefix, warn('tools are counted in this process only')),
  }

  const hub = new Hub({
    windowMs: options.sseWindowMs,
    elapsed: () => performance.now(),
    followed: topics.followed,
    readers: topics.readers,
    onError: warn('follows could not be refreshed'),
  })
  const beat = () => activityLog.beat(tuning.BEAT_MS)
  const tellBeat = () => hub.broadcast(beatFrame(tail.position, tail.beatAgeMs))
  /** Beats are told as they come from the log; when none come, that is told. */
  const tellLateBeat = async () => {
    if ((tail.beatAgeMs ?? Number.POSITIVE_INFINITY) > tuning.BEAT_LATE_MS) tellBeat()
  }
  const tail = new Tail({
    log: activityLog,
    ringBytes: tuning.RING_MAX_BYTES,
    clock,
    logger: log,
    beforeFollow: async () => {
      await relay.reconcile()
      // After an outage nobody should wait for the next turn to hear that it is over.
      await beat()
    },
    onEntry: (entry) => {
      noteSeen(facts, entry)
      hub.deliver(entry)
    },
    onBeat: tellBeat,
    onNewEpoch: () => {
      facts.renew().catch(warn('heads could not be read'))
      const control: ControlEvent = {
        type: 'reset',
        liveCursor: tail.position && printPosition(tail.position),
        reason: 'new-epoch',
      }
      hub.broadcast(personalFrame('control', control))
    },
    // Cut short by a stop, which is all that its rejection says.
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
  })
  const retentionMs = tuning.LOG_RETENTION_HOURS * 3_600_000
  const resume: ResumeDeps = { tail, outbox, floorMs: () => clock.now() - retentionMs }
  const presence = createPresence(redis, clock, tuning.PRESENCE_TTL_MS)
  const sessions = createSessionStore(pool)
  const knownSessions = new KnownSessions(clock)
  const audit = () => auditConnections({ hub, knownSessions, topics, sessions })
  const events = createEventsRoute({
    hub,
    tail,
    resume,
    topics,
    reads,
    presence,
    // A second's worth may come in at once.
    admission: new Admission({ perSecond: options.admissionsPerSecond, burst: options.admissionsPerSecond, clock }),
    random,
    onError: warn('stream could not be opened'),
  })

  const liveMetrics = createLiveMetrics(options.registry, { connections: () => hub.size })
  const delivery = createDeliveryServices({
    ...{ pool, redis, outbox, log, clock, random, registry: options.registry },
    targets: options.targets ?? { webhook: null, edge: null },
    connections: () => hub.size,
    beatAgeMs: () => tail.beatAgeMs,
  })
  const pollState = new PollState(tail, clock)
  const { name: cookie, secret, secure } = options.pollCookie
  const pollTokens = new PollTokens({ cookie, secret, clock })
  const polling: PollingDeps = {
    store: (prefix) => createRateLimitStore(redis, prefix, warn('polls are counted in this process only')),
    isLive: presence.isLive,
    async learn(userId, sessionId) {
      await pollState.learn(userId, async () => {
        const [followed, readVersion] = await Promise.all([topics.followed(userId), reads.version(userId)])
        return { topics: followed.topics.map(({ id }) => id), followsVersion: followed.version, readVersion }
      })
      return { tag: pollState.tagOf(userId), setCookie: pollTokens.setCookie(userId, sessionId, secure) }
    },
  }

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

  const forgetOld = async () => {
    pollState.sweep()
    knownSessions.sweep()
  }
  const settleReads = async () => {
    await access.settle()
    await saveReads.rescue()
  }
  const cleanUp = async () => {
    const windowStart = clock.now() - tuning.ACTIVITY_WINDOW_DAYS * 24 * 3_600_000
    while ((await factStore.raiseFloors(new Date(windowStart), tuning.FLOORS_BATCH)) > 0);
    await inBatches(retention.removeBelowFloors)
    const before = clock.now() - retentionMs
    await delivery.delivery.upkeep.trim(before, tuning.LOG_MAX_ENTRIES)
    await inBatches((limit) => outbox.prune(new Date(before), limit))
    const keysBefore = new Date(clock.now() - tuning.IDEMPOTENCY_HOURS * 3_600_000)
    await inBatches((limit) => expiredRows.remove({ now: new Date(clock.now()), keysBefore }, limit))
  }
  let loops: { stop: () => Promise<void> }[] = []

  return {
    publishActivity,
    readFeed,
    changeTopics,
    markRead,
    converse,
    bell: createBell({ notices: createNoticeStore(pool), bus, onTellError: warn('bell not told at once') }),
    manageKeys,
    searchActivities: createSearchActivities({ search: createSearchStore(pool), topics }),
    demoBot,
    product,
    ops: delivery.ops,
    relay,
    delivery,
    reads,
    saveReads,
    tail,
    hub,
    presence,
    knownSessions,
    audit,
    events,
    polling,
    ingest,
    pollShortcut: createPollShortcut(pollState, pollTokens, liveMetrics.pollAnswered),
    reportLoss: liveMetrics.lossReported,

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
      const hear = (event: PersonalEvent) => {
        hub.deliverPersonal(event)
        pollState.hear(event)
        if (event.type === 'signed-out') knownSessions.end(event.sessionId)
      }
      const onInterrupted = () => {
        pollState.doubt()
        knownSessions.doubt()
        audit().catch(warn('connections could not be checked'))
      }
      await bus.listen(hear, onInterrupted).catch(warn('personal events are not heard'))
      await tail.start()
      delivery.delivery.start()
      await facts.renew()
      loops = [
        every(tuning.SWEEP_MS, relay.sweep, warn('sweep put off')),
        every(tuning.RECONCILE_MS, relay.reconcile, warn('reconciling put off')),
        every(tuning.CLEAN_UP_MS, cleanUp, warn('clean-up put off')),
        every(tuning.SAVE_READS_MS, saveReads.run, warn('read state not saved yet')),
        every(tuning.SETTLE_READS_MS, settleReads, warn('read state not settled yet')),
        every(tuning.BEAT_MS, beat, warn('no beat')),
        every(tuning.PRESENCE_MS, () => presence.note(hub.connections()), warn('presence not noted')),
        every(tuning.AUDIT_MS, forgetOld, warn('memory not swept')),
        every(tuning.AUDIT_MS, audit, warn('connections could not be checked')),
        every(tuning.DELIVERY_FIGURES_MS, delivery.refreshFigures, warn('figures of delivery not read')),
        every(tuning.BEAT_MS, tellLateBeat, warn('late beat not told')),
      ]
      demoBot?.start()
    },

    async stop() {
      demoBot?.stop()
      events.drain()
      await Promise.all(loops.map((loop) => loop.stop()))
      await publishActivity.settle()
      await delivery.delivery.stop()
      await tail.stop()
      await saveReads.run().catch(warn('read state is left to be saved by others'))
      bus.stop()
    },
  }
}

function noteSeen(facts: FeedFacts, { topicId, kind, data }: Framed): void {
  if (kind !== 'activity') return
  const { activity } = JSON.parse(data) as ActivityEvent
  const { no, actor, mentions } = activity
  facts.saw({ topicId, no, actorId: actor.kind === 'person' ? actor.id : null, mentions })
}

/** Until nothing is left, a batch at a time, so that no lock is held for long. */
async function inBatches(remove: (limit: number) => Promise<number>): Promise<void> {
  while ((await remove(tuning.CLEAN_UP_BATCH)) >= tuning.CLEAN_UP_BATCH);
}
