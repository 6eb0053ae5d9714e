// GET /api/events/activities: opens the stream. The order matters: join the person's index, load what they may see,
// watch those topics, then replay, then let go what was held. Nothing falls between two steps.
import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Presence } from '#server/app/log-ports.ts'
import type { TopicStore } from '#server/app/ports.ts'
import type { ReadStore } from '#server/app/read-ports.ts'
import { SSE_MAX_QUEUED_BYTES, SSE_PER_PERSON_MAX, SSE_PER_PROCESS_MAX, SSE_RETRY_MS } from '#server/config/tuning.ts'
import type { LiveMetrics } from '#server/telemetry/live-metrics.ts'
import type { Random } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import type { ControlEvent } from '#shared/live-events.ts'
import { type Position, parsePosition, printPosition } from '#shared/position.ts'
import type { Admission } from './admission.ts'
import { Connection } from './connection.ts'
import { beatFrame, personalFrame, retryFrame } from './frames.ts'
import type { Hub } from './hub.ts'
import type { KnownSession } from './known-sessions.ts'
import { type ResumeDeps, replayAfter } from './resume.ts'
import type { Tail } from './tail.ts'

/** Connections of different processes must differ in Redis. */
const PROCESS = randomBytes(6).toString('hex')

type Deps = {
  hub: Hub
  tail: Tail
  resume: ResumeDeps
  topics: Pick<TopicStore, 'followed'>
  reads: Pick<ReadStore, 'counts'>
  presence: Presence
  admission: Admission
  random: Random
  onError: (error: unknown) => void
  figures?: Pick<LiveMetrics, 'streamAsked' | 'resumed'>
}

export function createEventsRoute(deps: Deps) {
  const { hub, tail, resume, topics, reads, presence, admission, random } = deps
  let draining = false
  let opened = 0

  async function open(req: Request, res: Response, { userId, sessionId }: KnownSession): Promise<void> {
    const after = readPosition(req)
    const follows = readFollows(req)
    if (draining || hub.size >= SSE_PER_PROCESS_MAX) {
      deps.figures?.streamAsked('full')
      res.setHeader('Retry-After', '5')
      throw new AppError('UNAVAILABLE', 'No more live connections here at the moment.')
    }
    if (hub.connectionsOf(userId) >= SSE_PER_PERSON_MAX) {
      deps.figures?.streamAsked('person_limit')
      res.setHeader('Retry-After', '30')
      throw new AppError('TOO_MANY', 'Too many live connections of one person.')
    }
    // Gone while we looked it up: nobody would tell us again.
    if (req.destroyed || res.destroyed) return
    const wait = admission.ask()
    if (wait > 0) {
      deps.figures?.streamAsked('deferred')
      res.setHeader('Retry-After', String(Math.ceil(wait / 1_000)))
      throw new AppError('UNAVAILABLE', 'Many are coming back at once. Your turn is in a moment.')
    }
    const socket = res.socket
    // HTTP/1.0 has no chunks and a pipelined request no socket of its own: neither is a browser.
    if (!socket || req.httpVersionMinor === 0) throw new AppError('INVALID_INPUT', 'This needs HTTP/1.1.')

    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'Transfer-Encoding': 'chunked',
    })
    res.flushHeaders()
    socket.setNoDelay(true)

    const connection = new Connection({
      id: `${PROCESS}-${++opened}`,
      response: res,
      socket,
      userId,
      sessionId,
      maxQueuedBytes: SSE_MAX_QUEUED_BYTES,
    })
    res.on('close', () => {
      hub.remove(connection)
      presence.forget(connection).catch(deps.onError)
    })
    hub.add(connection)
    deps.figures?.streamAsked('opened')
    presence.note([connection]).catch(deps.onError)
    try {
      const followed = await topics.followed(userId)
      const visible = followed.topics.map(({ id }) => id)
      hub.watch(connection, { version: followed.version, topics: visible })
      const [missed, counts] = await Promise.all([replay(connection, userId, after), reads.counts(userId)])
      const first = [retryFrame(Math.round(SSE_RETRY_MS * (1 + random())))]
      if (follows !== null && follows !== followed.version)
        first.push(controlFrame({ type: 'follows', version: followed.version, topics: visible }))
      connection.write(Buffer.concat([...first, ...missed, personalFrame('unread', counts)]))
      // The beat's position covers what was held meanwhile, so it comes after that.
      hub.release(connection, beatFrame(tail.position, tail.beatAgeMs))
    } catch (error) {
      // The answer has begun, so there is no status to change: the client comes back by itself.
      deps.onError(error)
      hub.remove(connection)
      res.end()
    }
  }

  async function replay(connection: Connection, viewer: string, after: Position | null): Promise<Buffer[]> {
    const reset = (reason: 'position-too-old' | 'new-epoch' | 'not-ready') => {
      deps.figures?.resumed('reset', 0)
      return [controlFrame({ type: 'reset', liveCursor: tail.position && printPosition(tail.position), reason })]
    }
    if (!tail.position) return reset('not-ready')
    if (!after) return reset('position-too-old')
    if (after.epoch !== tail.position.epoch) return reset('new-epoch')
    // What the hub holds back from here on is also in the ring: take the ring's copy and drop the held one.
    const missed = await replayAfter(resume, viewer, connection.topics, after)
    if (!missed) return reset('position-too-old')
    connection.dropHeld(new Set(missed.frames))
    deps.figures?.resumed('replay', missed.frames.length)
    return missed.frames
  }

  return {
    open,
    /** Accepts nothing new, gives every reader a slot to come back at, and ends the streams. */
    drain(): void {
      draining = true
      // Slots, so that the processes that stay are asked no faster than they admit.
      hub.endAll(() => {
        const reconnectInMs = Math.round(SSE_RETRY_MS * (1 + random()) + admission.slot())
        return controlFrame({ type: 'drain', reconnectInMs })
      })
    },
  }
}

const controlFrame = (event: ControlEvent): Buffer => personalFrame('control', event)

function readPosition(req: Request): Position | null {
  const text = req.get('Last-Event-ID') ?? req.query.cursor
  if (text === undefined || text === '') return null
  const parsed = parsePosition(typeof text === 'string' ? text : '', 'Last-Event-ID')
  if (!parsed.ok) throw new AppError(parsed.code, parsed.message, { field: 'Last-Event-ID' })
  return parsed.value
}

function readFollows(req: Request): number | null {
  const text = req.query.follows
  if (text === undefined || text === '') return null
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text))
    throw new AppError('INVALID_INPUT', 'Must be a number.', { field: 'follows' })
  return Number(text)
}
