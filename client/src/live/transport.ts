// Performs what the ladder decides, in the one tab that holds the connection: owns the streams, the question under way
// and the alarm; decides nothing about any of them.
import type { Random } from '#shared/clock.ts'
import { type AskedSession, type KeptSession, openEdgeStream } from './edge-stream.ts'
import { openEventStream, type Timers } from './event-stream.ts'
import {
  type Ladder,
  type LadderSignal,
  LEAVE_AFTER_MS,
  NEW_LADDER,
  nextAlarm,
  RUNGS,
  type RungName,
  stepLadder,
} from './ladder.ts'
import { type LiveEvent, readEvent } from './live-event.ts'
import type { RungSignal, Trouble } from './rung.ts'

export type Polled = { ok: true; found: number } | { ok: false; retryAfterMs: number | null }

type Deps = {
  fetch: typeof fetch
  timers: Timers
  now: () => number
  random: Random
  /** Where to go on from, asked at every opening. */
  place: () => { position: string | null; followsVersion: number }
  poll: () => Promise<Polled>
  /** Null: this installation has no edge. */
  edge: EdgeDeps | null
  onLadder: (ladder: Ladder) => void
  /** `after`: what the rung tells goes on after this position; null when it has its own idea of where it is. */
  onOpened: (rung: RungName, after: string | null) => void
  onEvent: (rung: RungName, event: LiveEvent) => void
  /** The server does not know our position. */
  onBadPosition: () => void
  onBreakerOpened: () => void
  onSignedOut: () => void
}

export type EdgeDeps = {
  ask: (known: string | null) => Promise<AskedSession>
  kept: () => KeptSession
  keep: (kept: KeptSession) => void
}

type Stream = { close: () => void; isSilent: () => boolean }

type Unstamped<T> = T extends { now: number; roll: number } ? Omit<T, 'now' | 'roll'> : never
type Signal = Unstamped<LadderSignal>

export type Transport = ReturnType<typeof createTransport>

export function createTransport(deps: Deps) {
  const { now, random, timers } = deps
  let ladder: Ladder = NEW_LADDER
  const streams: Record<RungName, Stream | null> = { edge: null, server: null }
  let alarm: unknown
  let running = false
  /** Answers to questions of an earlier run are not for this one. */
  let runs = 0

  function send(signal: Signal) {
    if (!running) return
    const before = ladder
    const step = stepLadder(ladder, { ...signal, now: now(), roll: random() } as LadderSignal)
    ladder = step.ladder
    if (RUNGS.some((name) => hasOpened(before, ladder, name))) deps.onBreakerOpened()
    if (ladder !== before) deps.onLadder(ladder)
    for (const effect of step.effects) {
      if (effect.do === 'poll') void poll()
      else if (effect.do === 'close') close(effect.rung)
      else if (effect.rung === 'edge') openEdge()
      else openServer()
    }
    timers.clear(alarm)
    const at = running ? nextAlarm(ladder, now()) : null
    if (at !== null) alarm = timers.set(() => send({ type: 'alarm' }), Math.max(0, at - now()))
  }
  const rung = (name: RungName, signal: RungSignal) => send({ type: 'rung', name, signal })
  const broken = (name: RungName, trouble: Trouble, retryAfterMs: number | null = null) =>
    rung(name, { type: 'broken', now: now(), roll: random(), trouble, retryAfterMs })

  function close(name: RungName) {
    streams[name]?.close()
    streams[name] = null
  }

  function openServer() {
    close('server')
    const { position, followsVersion } = deps.place()
    const query = new URLSearchParams({ follows: String(followsVersion) })
    if (position !== null) query.set('cursor', position)
    streams.server = openEventStream({
      url: `/api/events/activities?${query}`,
      lastEventId: position,
      fetch: deps.fetch,
      timers,
      now,
      onOpen: () => {
        rung('server', { type: 'opened', now: now() })
        deps.onOpened('server', position)
      },
      onEvent: (raw) => {
        const event = readEvent(raw)
        const beatAgeMs = event?.name === 'beat' ? event.body.beatAgeMs : null
        rung('server', { type: 'heard', now: now(), beatAgeMs })
        if (event?.name === 'control' && event.body.type === 'drain')
          broken('server', { kind: 'restarting' }, event.body.reconnectInMs)
        else if (event) deps.onEvent('server', event)
      },
      onEnd: (trouble, retryAfterMs) => {
        if (trouble === 'signed-out') return deps.onSignedOut()
        if (trouble.kind === 'status' && trouble.status === 400) deps.onBadPosition()
        broken('server', trouble, retryAfterMs)
      },
    })
  }

  function openEdge() {
    close('edge')
    if (deps.edge === null) return rung('edge', { type: 'exists', exists: false })
    const { ask, kept, keep } = deps.edge
    streams.edge = openEdgeStream({
      ...{ ask, keep, kept: kept(), fetch: deps.fetch, timers, now, random },
      onOpen: () => {
        rung('edge', { type: 'opened', now: now() })
        deps.onOpened('edge', null)
      },
      // Nothing but a beat shows that the way from the log to the edge works.
      onBeat: (beatAgeMs) => rung('edge', { type: 'heard', now: now(), beatAgeMs: beatAgeMs ?? LEAVE_AFTER_MS }),
      onEvent: (event) => deps.onEvent('edge', event),
      onDoubt: () => void deps.poll(),
      onOff: () => rung('edge', { type: 'exists', exists: false }),
      onEnd: (trouble) => {
        if (trouble === 'signed-out') return deps.onSignedOut()
        broken('edge', trouble)
      },
    })
  }

  async function poll() {
    const run = runs
    const polled = await deps.poll()
    if (run !== runs) return
    if (polled.ok) send({ type: 'polled', found: polled.found })
    else send({ type: 'poll-failed', retryAfterMs: polled.retryAfterMs })
  }

  return {
    /** `from`: a new ladder, or one that another tab left behind. */
    start(from: Ladder, at: { online: boolean; hidden: boolean }) {
      running = true
      runs += 1
      ladder = from
      send({ type: 'start', ...at, edge: deps.edge !== null })
    },
    stop() {
      running = false
      runs += 1
      timers.clear(alarm)
      for (const name of RUNGS) close(name)
    },
    ladder: () => ladder,
    online: (online: boolean) => send({ type: online ? 'online' : 'offline' }),
    visible(shown: boolean) {
      send({ type: shown ? 'shown' : 'hidden' })
      // Timers sleep in hidden tabs; the watchdog may have slept with them.
      if (shown) for (const name of RUNGS) if (streams[name]?.isSilent()) broken(name, { kind: 'silent' })
    },
    tryNow: () => send({ type: 'try-now' }),
    signOut: () => send({ type: 'signed-out' }),
  }
}

const hasOpened = (before: Ladder, after: Ladder, name: RungName): boolean =>
  after.rungs[name].breaker.phase === 'open' && before.rungs[name].breaker.phase !== 'open'
