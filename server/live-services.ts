// Builds and wires what readers hold open: the tail of the log, the hub of connections, the stream's route, polls. A part of
// services.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Clock, Random } from '#shared/clock.ts'
import type { ControlEvent, LogEvent } from '#shared/live-events.ts'
import { printPosition } from '#shared/position.ts'
import type { ActivityLog, BusEvent, Outbox, PersonalBus, Presence } from './app/log-ports.ts'
import type { TopicStore } from './app/ports.ts'
import type { ReadStore } from './app/read-ports.ts'
import type { Relay } from './app/relay-outbox.ts'
import * as tuning from './config/tuning.ts'
import { createSessionStore } from './db/session-store.ts'
import { every, type Loop } from './jobs/every.ts'
import { Admission } from './live/admission.ts'
import { auditConnections } from './live/audit.ts'
import { createEventsRoute } from './live/events-route.ts'
import { beatFrame, personalFrame } from './live/frames.ts'
import { Hub } from './live/hub.ts'
import { KnownSessions } from './live/known-sessions.ts'
import { createPollShortcut, type PollShortcut } from './live/poll-shortcut.ts'
import { PollState } from './live/poll-state.ts'
import { PollTokens } from './live/poll-token.ts'
import type { ResumeDeps } from './live/resume.ts'
import type { Framed } from './live/ring.ts'
import { Tail } from './live/tail.ts'
import type { PollingDeps } from './middleware/polling-rate-limit.ts'
import type { ReadServices } from './read-services.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createPresence } from './redis/presence.ts'
import { createRateLimitStore } from './redis/rate-limit-store.ts'
import { createLiveMetrics, type LossReport } from './telemetry/live-metrics.ts'
import type { Log, Warn } from './telemetry/logger.ts'

export type LiveOptions = {
  admissionsPerSecond: number
  sseWindowMs: number
  /** Signs what lets a poll be recognised without a query. */
  pollCookie: { name: string; secret: string; secure: boolean }
}

type Given = LiveOptions & {
  pool: pg.Pool
  redis: RedisConnection
  registry: Registry
  activityLog: ActivityLog
  outbox: Outbox
  relay: Relay
  topics: TopicStore
  reads: ReadStore
  readState: Pick<ReadServices, 'hear' | 'renewFacts' | 'audit' | 'doubt' | 'followsChanged'>
  bus: PersonalBus
  retentionMs: number
  /** Every event of the log, after it was handed out. */
  onEntry?: ((entry: Framed) => void) | undefined
  log: Log
  warn: Warn
  clock: Clock
  random: Random
}

export type LiveServices = {
  tail: Tail
  hub: Hub
  resume: ResumeDeps
  presence: Presence
  knownSessions: KnownSessions
  audit: () => Promise<void>
  events: ReturnType<typeof createEventsRoute>
  polling: PollingDeps
  pollShortcut: PollShortcut
  reportLoss: (report: LossReport) => void
  reportRendered: (millis: number[]) => void
  /** Begins to hear of people and to follow the log. */
  listen: () => Promise<void>
  loops: () => Loop[]
}

export function createLiveServices(given: Given): LiveServices {
  const { activityLog, redis, topics, reads, readState, bus, clock, warn } = given
  const metrics = createLiveMetrics(given.registry, {
    connections: () => hub.size,
    connectionsMax: tuning.SSE_PER_PROCESS_MAX,
  })
  const hub = new Hub({
    windowMs: given.sseWindowMs,
    elapsed: () => performance.now(),
    followed: topics.followed,
    readers: topics.readers,
    onError: warn('follows could not be refreshed'),
    figures: metrics.delivery,
    now: clock.now,
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
    logger: given.log,
    beforeFollow: async () => {
      await given.relay.reconcile()
      // After an outage nobody should wait for the next turn to hear that it is over.
      await beat()
    },
    onEntry: (entry) => {
      hub.deliver(entry, committedAt(readState.hear(entry), entry))
      given.onEntry?.(entry)
    },
    onBeat: tellBeat,
    onNewEpoch: () => {
      readState.renewFacts()
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
  const resume: ResumeDeps = { tail, outbox: given.outbox, floorMs: () => clock.now() - given.retentionMs }
  const presence = createPresence(redis, clock, tuning.PRESENCE_TTL_MS)
  const sessions = createSessionStore(given.pool)
  const knownSessions = new KnownSessions(clock)
  const audit = () => auditConnections({ hub, knownSessions, topics, sessions })
  const { admissionsPerSecond: perSecond } = given
  const events = createEventsRoute({
    ...{ hub, tail, resume, topics, reads, presence, random: given.random },
    // A second's worth may come in at once.
    admission: new Admission({ perSecond, burst: perSecond, clock }),
    onError: warn('stream could not be opened'),
    figures: metrics,
  })

  const pollState = new PollState(tail, clock)
  const { name: cookie, secret, secure } = given.pollCookie
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
  const forgetOld = async () => {
    pollState.sweep()
    knownSessions.sweep()
  }

  return {
    ...{ tail, hub, resume, presence, knownSessions, audit, events, polling },
    pollShortcut: createPollShortcut(pollState, pollTokens, metrics.pollAnswered),
    reportLoss: metrics.lossReported,
    reportRendered: (millis) => {
      for (const ms of millis) metrics.rendered(ms / 1_000)
    },

    async listen() {
      const hear = (event: BusEvent) => {
        if (event.type === 'floors') return void readState.audit().catch(warn('floors could not be read'))
        if (event.type === 'follows') readState.followsChanged(event.userId)
        hub.deliverPersonal(event)
        pollState.hear(event)
        if (event.type === 'signed-out') knownSessions.end(event.sessionId)
      }
      const onInterrupted = () => {
        pollState.doubt()
        knownSessions.doubt()
        readState.doubt()
        audit().catch(warn('connections could not be checked'))
      }
      await bus.listen(hear, onInterrupted).catch(warn('personal events are not heard'))
      await tail.start()
    },

    loops: () => [
      every(tuning.BEAT_MS, beat, warn('no beat')),
      every(tuning.BEAT_MS, tellLateBeat, warn('late beat not told')),
      every(tuning.PRESENCE_MS, () => presence.note(hub.connections()), warn('presence not noted')),
      every(tuning.AUDIT_MS, forgetOld, warn('memory not swept')),
      every(tuning.AUDIT_MS, audit, warn('connections could not be checked')),
    ],
  }
}

/** When the event was committed. Changes do not say it: theirs is when they came to the log. */
const committedAt = (log: LogEvent, { position }: Framed): number =>
  log.kind === 'activity' ? Date.parse(log.event.activity.publishedAt) : position.ms
