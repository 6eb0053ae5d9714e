import { describe, expect, it } from 'vitest'
import { connectionOf, rungViews } from './connection.ts'
import {
  inheritLadder,
  type Ladder,
  type LadderEffect,
  type LadderSignal,
  LEAVE_AFTER_MS,
  NEW_LADDER,
  nextAlarm,
  PATIENCE_MS,
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
  path.send({ type: 'start', now: NOW, roll: 0.5, online: true, hidden: false, edge: false })
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
    expect(path.ladder.polling.phase).toBe('waiting')
    expect(connectionOf(path.ladder, NOW).state).toBe('connecting')
    path.rung({ type: 'heard', now: NOW, beatAgeMs: 0 })
    // Nothing was asked, so there is no seam.
    expect(path.ladder.polling.phase).toBe('idle')
    expect(path.asked).toEqual([{ do: 'open', rung: 'server' }])
    expect(connectionOf(path.ladder, NOW)).toEqual({ state: 'live', heardAt: NOW, via: 'server' })
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

  /** A ladder that polls, with its stream just back at `now`. */
  const back = (now: number) => {
    const path = rested()
    path.send({ type: 'alarm', now: NOW + 20_000, roll: 0 })
    path.send({ type: 'polled', now: NOW + 20_100, roll: 0, found: 0 })
    path.send({ type: 'alarm', now, roll: 0 })
    path.send({ type: 'polled', now, roll: 0.5, found: 0 })
    path.rung({ type: 'opened', now }, now)
    path.asked.length = 0
    path.rung({ type: 'heard', now, beatAgeMs: 0 }, now)
    return path
  }

  it('[LIVE-11] back on the stream it asks once more, and polling ends with that answer', () => {
    const now = NOW + 60_000
    const path = back(now)
    expect(path.asked).toEqual([{ do: 'poll' }])
    expect(connectionOf(path.ladder, now).state).toBe('live')
    expect(path.ladder.polling.phase).toBe('asking')
    path.send({ type: 'polled', now: now + 50, roll: 0, found: 1 })
    expect(path.ladder.polling.phase).toBe('idle')
    expect(path.ladder.rungs.server.breaker.phase).toBe('closed')
    expect(path.asked).toEqual([{ do: 'poll' }])
  })

  it('[LIVE-11] an answer that was asked for before the stream was back does not close the gap', () => {
    const path = rested()
    path.send({ type: 'alarm', now: NOW + 60_000, roll: 0 })
    path.rung({ type: 'opened', now: NOW + 60_000 }, NOW + 60_000)
    path.rung({ type: 'heard', now: NOW + 60_000, beatAgeMs: 0 }, NOW + 60_000)
    expect(path.ladder.polling.phase).toBe('asking')
    path.asked.length = 0
    path.send({ type: 'polled', now: NOW + 60_010, roll: 0, found: 0 })
    expect(path.asked).toEqual([{ do: 'poll' }])
    path.send({ type: 'polled', now: NOW + 60_020, roll: 0, found: 0 })
    expect(path.ladder.polling.phase).toBe('idle')
    expect(path.asked).toEqual([{ do: 'poll' }])
  })

  it('[LIVE-11] a catch-up that fails is tried again when the server allows, with the stream in use meanwhile', () => {
    const now = NOW + 60_000
    const path = back(now)
    path.send({ type: 'poll-failed', now, roll: 0, retryAfterMs: 7_000 })
    path.send({ type: 'alarm', now: now + 6_999, roll: 0 })
    expect(path.asked).toEqual([{ do: 'poll' }])
    expect(connectionOf(path.ladder, now + 6_999).state).toBe('live')
    path.send({ type: 'alarm', now: now + 7_000, roll: 0 })
    expect(path.asked).toEqual([{ do: 'poll' }, { do: 'poll' }])
    path.send({ type: 'polled', now: now + 7_100, roll: 0, found: 0 })
    expect(path.ladder.polling.phase).toBe('idle')
  })

  it('[LIVE-2] a stream that breaks and comes back before any poll has no seam: its own position is enough', () => {
    const path = live()
    path.send({ type: 'rung', name: 'server', signal: broken, now: NOW, roll: 0.9 })
    path.send({ type: 'alarm', now: NOW + 500, roll: 0.9 })
    path.rung({ type: 'opened', now: NOW + 600 }, NOW + 600)
    path.asked.length = 0
    path.rung({ type: 'heard', now: NOW + 600, beatAgeMs: 0 }, NOW + 600)
    expect(path.asked).toEqual([])
    expect(path.ladder.polling.phase).toBe('idle')
  })

  it('[LIVE-12] a ladder taken over from another tab keeps its breaker, its waits and its schedule', () => {
    const left = rested().ladder
    const path = walk(inheritLadder(left, NOW + 4_500, 0.5))
    expect(path.send({ type: 'start', now: NOW + 4_500, roll: 0.9, online: true, hidden: false, edge: false })).toEqual(
      [],
    )
    expect(path.ladder.rungs.server).toEqual(left.rungs.server)
    expect(path.ladder.polling).toEqual(left.polling)
    expect(path.send({ type: 'alarm', now: NOW + 60_000, roll: 0 })).toContainEqual({ do: 'open', rung: 'server' })
  })

  it('[LIVE-12] a connection that went with its tab is opened at once, and a question under way is asked again', () => {
    const path = walk(inheritLadder(live().ladder, NOW + 9_000, 0.5))
    const at = { now: NOW + 9_000, roll: 0.9, online: true, hidden: false, edge: false }
    expect(path.send({ type: 'start', ...at })).toEqual([{ do: 'open', rung: 'server' }])
    const asking = rested()
    asking.send({ type: 'alarm', now: NOW + 20_000, roll: 0 })
    expect(asking.ladder.polling.phase).toBe('asking')
    expect(inheritLadder(asking.ladder, NOW + 21_000, 0.5).polling).toMatchObject({ at: NOW + 23_500 })
  })

  it('[LIVE-9] told to wait, it polls meanwhile', () => {
    const path = started()
    path.rung({ ...broken, trouble: { kind: 'status', status: 503 }, retryAfterMs: 20_000 })
    expect(connectionOf(path.ladder, NOW)).toMatchObject({ state: 'polling', told: true, tryAt: NOW + 20_000 })
    expect(path.ladder.polling.phase).toBe('waiting')
  })

  it('[LIVE-11] [LIVE-17] a connection whose beat is old is left: delayed until the first answer to our own questions', () => {
    const path = live()
    const late = NOW + LEAVE_AFTER_MS
    expect(nextAlarm(path.ladder, NOW)).toBe(late)
    expect(connectionOf(path.ladder, late - 1).state).toBe('live')
    path.send({ type: 'alarm', now: late, roll: 0.5 })
    expect(connectionOf(path.ladder, late)).toMatchObject({ state: 'delayed', beatAt: NOW, pollAt: late + 5_000 })
    expect(path.send({ type: 'alarm', now: late + 5_000, roll: 0 })).toEqual([{ do: 'poll' }])
    path.send({ type: 'polled', now: late + 5_100, roll: 0, found: 1 })
    expect(connectionOf(path.ladder, late + 5_100)).toMatchObject({ state: 'polling', quiet: true })
    // The connection itself stays, and is used again as soon as the log behind it lives.
    expect(path.ladder.rungs.server.link.phase).toBe('up')
    path.rung({ type: 'heard', now: NOW + 80_000, beatAgeMs: 100 }, NOW + 80_000)
    expect(connectionOf(path.ladder, NOW + 80_000).state).toBe('live')
    path.send({ type: 'polled', now: NOW + 80_100, roll: 0, found: 0 })
    expect(path.ladder.polling.phase).toBe('idle')
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

describe('ladder with an edge', () => {
  const begun = () => {
    const path = walk()
    path.send({ type: 'start', now: NOW, roll: 0.5, online: true, hidden: false, edge: true })
    const of = (name: 'edge' | 'server') => (signal: RungSignal, now: number) =>
      path.send({ type: 'rung', name, signal, now, roll: 0.5 })
    return { ...path, path, edge: of('edge'), server: of('server') }
  }
  const up = (rung: (signal: RungSignal, now: number) => unknown, now: number) => {
    rung({ type: 'opened', now }, now)
    rung({ type: 'heard', now, beatAgeMs: 0 }, now)
  }

  it('[LIVE-11] tries the edge first, and the server beside it when that takes long', () => {
    const { path } = begun()
    expect(path.asked).toEqual([{ do: 'open', rung: 'edge' }])
    expect(nextAlarm(path.ladder, NOW)).toBe(NOW + PATIENCE_MS)
    expect(path.send({ type: 'alarm', now: NOW + PATIENCE_MS, roll: 0 })).toEqual([{ do: 'open', rung: 'server' }])
  })

  it('[LIVE-11] asks once before it counts on the edge, also at the very beginning', () => {
    const { path, edge } = begun()
    path.asked.length = 0
    up(edge, NOW + 10)
    expect(path.asked).toEqual([{ do: 'poll' }])
    expect(path.ladder).toMatchObject({ inUse: null, seam: { to: 'edge', asked: true } })
    path.send({ type: 'polled', now: NOW + 20, roll: 0, found: 0 })
    expect(path.ladder).toMatchObject({ inUse: 'edge', seam: null, polling: { phase: 'idle' } })
    expect(connectionOf(path.ladder, NOW + 20)).toMatchObject({ state: 'live', via: 'edge' })
    expect(rungViews(path.ladder, NOW + 20)).toEqual([
      { name: 'edge', state: 'in-use' },
      { name: 'server', state: 'idle' },
      { name: 'polling', state: 'idle' },
    ])
  })

  it('[LIVE-11] down and up again: the new way is opened first, then one question, then the old one ends', () => {
    const { path, edge, server } = begun()
    up(edge, NOW)
    path.send({ type: 'polled', now: NOW, roll: 0, found: 0 })
    path.asked.length = 0
    edge(broken, NOW + 1)
    expect(path.asked).toEqual([
      { do: 'close', rung: 'edge' },
      { do: 'open', rung: 'server' },
    ])
    path.asked.length = 0
    up(server, NOW + 5)
    expect(path.asked).toEqual([{ do: 'poll' }])
    path.send({ type: 'polled', now: NOW + 6, roll: 0, found: 1 })
    expect(path.ladder.inUse).toBe('server')
    path.asked.length = 0
    const again = NOW + 501
    expect(path.send({ type: 'alarm', now: again, roll: 0 })).toEqual([{ do: 'open', rung: 'edge' }])
    path.asked.length = 0
    up(edge, again + 5)
    expect(path.asked).toEqual([{ do: 'poll' }])
    expect(connectionOf(path.ladder, again + 5)).toMatchObject({ state: 'live', via: 'server' })
    path.send({ type: 'polled', now: again + 9, roll: 0, found: 0 })
    expect(path.asked).toEqual([{ do: 'poll' }, { do: 'close', rung: 'server' }])
    expect(path.ladder.inUse).toBe('edge')
    // The server's stream lies still: the next thing to happen is the edge's beat growing old.
    expect(nextAlarm(path.ladder, again + 9)).toBe(again + 5 + LEAVE_AFTER_MS)
  })

  it('[LIVE-17] an edge whose beat is old is not used, and is taken up again when it beats', () => {
    const { path, edge, server } = begun()
    edge({ type: 'opened', now: NOW }, NOW)
    edge({ type: 'heard', now: NOW, beatAgeMs: LEAVE_AFTER_MS }, NOW)
    expect(path.asked).toEqual([
      { do: 'open', rung: 'edge' },
      { do: 'open', rung: 'server' },
    ])
    up(server, NOW + 5)
    expect(connectionOf(path.ladder, NOW + 5)).toMatchObject({ state: 'live', via: 'server' })
    expect(rungViews(path.ladder, NOW + 5)[0]).toEqual({ name: 'edge', state: 'failed' })
    path.asked.length = 0
    edge({ type: 'heard', now: NOW + 50, beatAgeMs: 10 }, NOW + 50)
    expect(path.asked).toEqual([{ do: 'poll' }])
  })

  it('[LIVE-11] an installation without one never tries it and does not show it', () => {
    const path = started()
    expect(path.asked).toEqual([{ do: 'open', rung: 'server' }])
    expect(rungViews(path.ladder, NOW).map(({ name }) => name)).toEqual(['server', 'polling'])
    const { path: other, edge } = begun()
    edge({ type: 'exists', exists: false }, NOW)
    expect(other.asked).toContainEqual({ do: 'open', rung: 'server' })
    expect(other.ladder.rungs.edge.link.phase).toBe('absent')
  })
})
