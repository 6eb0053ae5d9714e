// Builds and wires what goes to the edge: the relay of topics, people's sessions there, and the beat. A part of services.ts
// with a file of its own, because the fault simulator uses the relay without the rest.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Clock } from '#shared/clock.ts'
import { type BringToEdge, createBringToEdge } from './app/bring-to-edge.ts'
import type { EdgeCursors } from './app/edge-ports.ts'
import { createEdgeSessions, type EdgeSessions } from './app/edge-sessions.ts'
import type { Outbox, PersonalBus } from './app/log-ports.ts'
import * as tuning from './config/tuning.ts'
import { createEdgeSessionStore } from './db/edge-session-store.ts'
import { createEdgeCursors } from './db/handler-stores.ts'
import { createEdgeCaller, type EdgeTarget } from './edge-client/edge-caller.ts'
import { EDGE_PROJECT } from './edge-client/edge-keys.ts'
import { createEdgeSessionCalls } from './edge-client/edge-sessions.ts'
import { createEdgeStreams } from './edge-client/edge-streams.ts'
import { every, type Loop } from './jobs/every.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createTopicLease } from './redis/topic-lease.ts'
import type { Warn } from './telemetry/logger.ts'

export type EdgeOptions = {
  pool: pg.Pool
  redis: RedisConnection
  outbox: Outbox
  target: EdgeTarget
  beatAgeMs: () => number | null
  warn: Warn
  clock: Clock
  leaseMs?: number | undefined
}

/** What the handler of the consumer group needs. */
export type EdgeRelay = { bring: BringToEdge; cursors: EdgeCursors }

export type EdgeServices = {
  relay: EdgeRelay
  sessions: EdgeSessions
  beat: () => Promise<void>
  loops: () => Loop[]
}

/** The turn of the process that notes the beat; no topic has this number. */
const BEAT_TURN = 0

export function createEdgeServices(options: EdgeOptions): EdgeServices {
  const { pool, redis, outbox, target, clock, warn } = options
  const call = createEdgeCaller(target)
  const edge = createEdgeStreams(call)
  const calls = createEdgeSessionCalls(call)
  const cursors = createEdgeCursors(pool)
  const lease = createTopicLease(redis)
  const bring = createBringToEdge({
    ...{ outbox, cursors, lease, edge, leaseMs: options.leaseMs ?? tuning.EDGE_LEASE_MS },
    withdraw: (topicId) => sessions.withdraw(topicId),
  })
  const { publicUrl, tokens } = target
  const { read } = tokens
  const sessions = createEdgeSessions({
    ...{ calls, edge, bring, clock, newId: randomUUID },
    store: createEdgeSessionStore(pool, {
      ...{ leaseMs: tuning.EDGE_SESSION_MS, claimMs: tuning.EDGE_CLAIM_MS },
      ...{ lingerMs: tuning.EDGE_LINGER_MS, perLogin: tuning.EDGE_SESSIONS_PER_LOGIN },
    }),
    grant:
      publicUrl === null || read === null
        ? null
        : async (id, seconds) => {
            const stream = `session:${id}`
            const url = `${publicUrl.replace(/\/+$/, '')}/v1/${EDGE_PROJECT}/stream/${stream}`
            return { url, token: await read(stream, seconds) }
          },
    onError: warn('sessions at the edge are not settled yet'),
  })

  /** Only while the log lives and what it held a moment ago has arrived there: a beat is a promise about both. */
  async function beat(): Promise<void> {
    const ageMs = options.beatAgeMs()
    if (ageMs === null || ageMs > tuning.BEAT_LATE_MS) return
    if ((await lease.acquire(BEAT_TURN, tuning.EDGE_BEAT_MS * tuning.EDGE_BEAT_TURN)) === null) return
    if (await cursors.isBehind(new Date(clock.now() - tuning.EDGE_BEHIND_MS))) return
    await calls.beat(ageMs)
  }

  return {
    relay: { bring, cursors },
    sessions,
    beat,
    loops: () => [
      every(tuning.EDGE_SWEEP_MS, sessions.sweep, warn('sessions at the edge not looked after')),
      every(tuning.EDGE_BEAT_MS, beat, warn('no beat at the edge')),
    ],
  }
}

/** What is told to a person's connections here is told to their sessions there; nobody waits for it. */
export function withEdge<Bus extends PersonalBus>(bus: Bus, sessions: EdgeSessions, warn: Warn): Bus {
  return {
    ...bus,
    async send(event) {
      if ('userId' in event) sessions.personal(event).catch(warn('sessions at the edge not told'))
      await bus.send(event)
    },
  }
}
