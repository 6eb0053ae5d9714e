// Performs what the ladder decides, in the one tab that holds the connection: owns the stream, the question under way
// and the alarm; decides nothing about any of them.
import type { Random } from '#shared/clock.ts'
import { openEventStream, type Timers } from './event-stream.ts'
import { type Ladder, type LadderSignal, NEW_LADDER, nextAlarm, RUNGS, type RungName, stepLadder } from './ladder.ts'
import { type LiveEvent, readEvent } from './live-event.ts'
import type { RungSignal } from './rung.ts'

export type Polled = { ok: true; found: number } | { ok: false; retryAfterMs: number | null }

type Deps = {
  fetch: typeof fetch
  timers: Timers
  now: () => number
  random: Random
  /** Where to go on from, asked at every opening. */
  place: () => { position: string | null; followsVersion: number }
  poll: () => Promise<Polled>
  onLadder: (ladder: Ladder) => void
  onOpened: (after: string | null) => void
  onEvent: (event: LiveEvent) => void
  /** The server does not know our position. */
  onBadPosition: () => void
  onBreakerOpened: () => void
  onSignedOut: () => void
}

type Unstamped<T> = T extends { now: number; roll: number } ? Omit<T, 'now' | 'roll'> : never
type Signal = Unstamped<LadderSignal>

export type Transport = ReturnType<typeof createTransport>

export function createTransport(deps: Deps) {
  const { now, random, timers } = deps
  let ladder: Ladder = NEW_LADDER
  let stream: ReturnType<typeof openEventStream> | null = null
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
      if (effect.do === 'open') open()
      else if (effect.do === 'close') close()
      else void poll()
    }
    timers.clear(alarm)
    const at = running ? nextAlarm(ladder, now()) : null
    if (at !== null) alarm = timers.set(() => send({ type: 'alarm' }), Math.max(0, at - now()))
  }
  const rung = (signal: RungSignal) => send({ type: 'rung', name: 'server', signal })

  function close() {
    stream?.close()
    stream = null
  }

  function open() {
    close()
    const { position, followsVersion } = deps.place()
    const query = new URLSearchParams({ follows: String(followsVersion) })
    if (position !== null) query.set('cursor', position)
    stream = openEventStream({
      url: `/api/events/activities?${query}`,
      lastEventId: position,
      fetch: deps.fetch,
      timers,
      now,
      onOpen: () => {
        rung({ type: 'opened', now: now() })
        deps.onOpened(position)
      },
      onEvent: (raw) => {
        const event = readEvent(raw)
        const beatAgeMs = event?.name === 'beat' ? event.body.beatAgeMs : null
        rung({ type: 'heard', now: now(), beatAgeMs })
        if (event?.name === 'control' && event.body.type === 'drain') {
          const trouble = { kind: 'restarting' } as const
          rung({ type: 'broken', now: now(), roll: random(), trouble, retryAfterMs: event.body.reconnectInMs })
        } else if (event) deps.onEvent(event)
      },
      onEnd: (trouble, retryAfterMs) => {
        if (trouble === 'signed-out') return deps.onSignedOut()
        if (trouble.kind === 'status' && trouble.status === 400) deps.onBadPosition()
        rung({ type: 'broken', now: now(), roll: random(), trouble, retryAfterMs })
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
      send({ type: 'start', ...at })
    },
    stop() {
      running = false
      runs += 1
      timers.clear(alarm)
      close()
    },
    ladder: () => ladder,
    online: (online: boolean) => send({ type: online ? 'online' : 'offline' }),
    visible(shown: boolean) {
      send({ type: shown ? 'shown' : 'hidden' })
      // Timers sleep in hidden tabs; the watchdog may have slept with them.
      if (shown && stream?.isSilent())
        rung({ type: 'broken', now: now(), roll: random(), trouble: { kind: 'silent' }, retryAfterMs: null })
    },
    tryNow: () => send({ type: 'try-now' }),
    signOut: () => send({ type: 'signed-out' }),
  }
}

const hasOpened = (before: Ladder, after: Ladder, name: RungName): boolean =>
  after.rungs[name].breaker.phase === 'open' && before.rungs[name].breaker.phase !== 'open'
