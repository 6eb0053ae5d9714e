import { describe, expect, it } from 'vitest'
import {
  connectionOf,
  DELAYED_AFTER_MS,
  type Ladder,
  type LadderEffect,
  type LadderSignal,
  LEAVE_AFTER_MS,
  NEW_LADDER,
  nextAlarm,
  rungViews,
  stepLadder,
} from './ladder.ts'
import type { RungSignal } from './rung.ts'

const NOW = 1_000_000

/** Walks a ladder through signals and remembers what it asked for. */
function walk(ladder: Ladder = NEW_LADDER) {
  let current = ladder
  const asked: LadderEffect[] = []
  const send = (signal: LadderSignal) => {
    const step = stepLadder(current, signal)
    current = step.ladder
    asked.push(...step.effects)
    return step.effects
  }
  return {
    send,
    rung: (signal: RungSignal, now = NOW) => send({ type: 'rung', name: 'server', signal, now, roll: 0 }),
    asked,
    get ladder() {
      return current
    },
  }
}

const started = () => {
  const path = walk()
  path.send({ type: 'start', now: NOW, roll: 0.5, online: true, hidden: false })
  return path
}
const live = () => {
  const path = started()
  path.rung({ type: 'opened', now: NOW })
  path.rung({ type: 'heard', now: NOW, beatAgeMs: 0 })
  return path
}
const broken: RungSignal = { type: 'broken', now: NOW, roll: 0, trouble: { kind: 'network' }, retryAfterMs: null }

function rested() {
  const path = started()
  path.rung(broken)
  path.send({ type: 'alarm', now: NOW + 1_000, roll: 0.5 })
  path.rung(broken)
  path.send({ type: 'alarm', now: NOW + 4_000, roll: 0.5 })
  path.rung(broken)
  return path
}

describe('ladder', () => {
  it('[LIVE-11] starts on the best rung, with polling in reserve until an event has come', () => {
    const path = started()
    expect(path.asked).toEqual([{ do: 'open', rung: 'server' }])
    expect(path.ladder.polling.phase).toBe('waiting')
    expect(connectionOf(path.ladder, NOW).state).toBe('connecting')
    path.rung({ type: 'opened', now: NOW })
    path.rung({ type: 'heard', now: NOW, beatAgeMs: 0 })
    expect(path.ladder.polling.phase).toBe('idle')
    expect(connectionOf(path.ladder, NOW)).toEqual({ state: 'live', heardAt: NOW })
  })

  it('[LIVE-10] polls when the rung rests, and says why and when it tries again', () => {
    const path = rested()
    expect(path.ladder.rungs.server.breaker.phase).toBe('open')
    expect(connectionOf(path.ladder, NOW)).toMatchObject({
      state: 'polling',
      trouble: { kind: 'network' },
      failures: 3,
      tryAt: NOW + 60_000,
    })
    expect(rungViews(path.ladder, NOW)).toEqual([
      { name: 'server', state: 'failed' },
      { name: 'polling', state: 'in-use' },
    ])
    const { polling } = path.ladder
    const at = polling.phase === 'waiting' ? polling.at : 0
    expect(path.send({ type: 'alarm', now: at, roll: 0 })).toEqual([{ do: 'poll' }])
  })

  it('[LIVE-10] polling stops as soon as the stream is back', () => {
    const path = rested()
    path.send({ type: 'alarm', now: NOW + 60_000, roll: 0 })
    expect(path.asked).toContainEqual({ do: 'open', rung: 'server' })
    path.rung({ type: 'opened', now: NOW + 60_000 }, NOW + 60_000)
    path.rung({ type: 'heard', now: NOW + 60_000, beatAgeMs: 0 }, NOW + 60_000)
    expect(path.ladder.polling.phase).toBe('idle')
    expect(path.ladder.rungs.server.breaker.phase).toBe('closed')
  })

  it('[LIVE-9] told to wait, it polls meanwhile', () => {
    const path = started()
    path.rung({ ...broken, trouble: { kind: 'status', status: 503 }, retryAfterMs: 20_000 })
    expect(connectionOf(path.ladder, NOW)).toMatchObject({ state: 'polling', told: true, tryAt: NOW + 20_000 })
    expect(path.ladder.polling.phase).toBe('waiting')
  })

  it('[LIVE-17] an old beat is shown as delayed although the connection stands, later we ask besides', () => {
    const path = live()
    const delayedAt = NOW + DELAYED_AFTER_MS
    expect(connectionOf(path.ladder, delayedAt - 1).state).toBe('live')
    expect(connectionOf(path.ladder, delayedAt).state).toBe('delayed')
    expect(nextAlarm(path.ladder, delayedAt)).toBe(NOW + LEAVE_AFTER_MS)
    path.send({ type: 'alarm', now: NOW + LEAVE_AFTER_MS, roll: 0 })
    expect(path.asked.at(-1)).toEqual({ do: 'poll' })
    expect(connectionOf(path.ladder, NOW + LEAVE_AFTER_MS)).toMatchObject({ state: 'polling', quiet: true })
    path.rung({ type: 'heard', now: NOW + 80_000, beatAgeMs: 100 }, NOW + 80_000)
    expect(path.ladder.polling.phase).toBe('idle')
    expect(connectionOf(path.ladder, NOW + 80_000).state).toBe('live')
  })

  it('[FEED-14] offline is said at once, everything is closed, and the return is tried at once', () => {
    const path = live()
    expect(path.send({ type: 'offline', now: NOW + 5, roll: 0 })).toEqual([{ do: 'close', rung: 'server' }])
    expect(connectionOf(path.ladder, NOW + 9)).toEqual({ state: 'offline', since: NOW + 5 })
    expect(rungViews(path.ladder, NOW + 9).every((view) => view.state === 'failed')).toBe(true)
    expect(nextAlarm(path.ladder, NOW)).toBeNull()
    expect(path.send({ type: 'online', now: NOW + 50, roll: 0.9 })).toEqual([{ do: 'open', rung: 'server' }])
    expect(path.ladder.rungs.server.breaker).toEqual(NEW_LADDER.rungs.server.breaker)
  })

  it('[LIVE-5] without a session nothing is tried any more', () => {
    const path = live()
    expect(path.send({ type: 'signed-out', now: NOW, roll: 0 })).toEqual([{ do: 'close', rung: 'server' }])
    expect(path.send({ type: 'try-now', now: NOW, roll: 0 })).toEqual([])
    expect(path.send({ type: 'online', now: NOW, roll: 0 })).toEqual([])
    expect(connectionOf(path.ladder, NOW)).toEqual({ state: 'signed-out' })
  })

  it('[LIVE-11] "try now" ends the rest', () => {
    const path = rested()
    expect(path.send({ type: 'try-now', now: NOW + 20_000, roll: 0.9 })).toContainEqual({ do: 'open', rung: 'server' })
  })
})
