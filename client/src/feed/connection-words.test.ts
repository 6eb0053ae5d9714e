import { describe, expect, it } from 'vitest'
import type { Connection } from '../live/connection.ts'
import { type ConnectionWords, connectionWords } from './connection-words.ts'

const NOW = 1_000_000
const around = { now: NOW, holes: 0, posts: 0, marks: 0 }
const fact = (words: ConnectionWords, label: string) => words.facts.find((other) => other.label === label)?.value

const polling: Extract<Connection, { state: 'polling' }> = {
  state: 'polling',
  trouble: { kind: 'status', status: 503 },
  failures: 3,
  told: false,
  quiet: false,
  tryAt: NOW + 23_000,
  lastPoll: { at: NOW - 2_000, found: 0 },
  pollAt: NOW + 4_000,
}

/** One of each state, so that a new one fails to compile until somebody has found words for it. */
const EACH: { [State in Connection['state']]: Extract<Connection, { state: State }> } = {
  live: { state: 'live', via: 'server', heardAt: NOW - 3_000 },
  delayed: { state: 'delayed', beatAt: NOW - 72_000, heardAt: NOW - 1_000, pollAt: NOW + 3_000 },
  polling,
  offline: { state: 'offline', since: NOW - 60_000 },
  connecting: { state: 'connecting', since: NOW - 1_000, trouble: null },
  'signed-out': { state: 'signed-out' },
}

describe('what the connection is called', () => {
  it('[FEED-14] each state has a name of its own, a sentence and true numbers', () => {
    const all = Object.values(EACH).map((connection) => connectionWords(connection, around))
    expect(new Set(all.map((words) => words.name)).size).toBe(all.length)
    for (const words of all) expect(words.sentence).toMatch(/\.$/)
  })

  it('[FEED-14] live: the last sign of life, and how often a gap was closed', () => {
    const words = connectionWords(EACH.live, { ...around, holes: 2 })
    expect(words.fact).toBeNull()
    expect(fact(words, 'Last sign of life')).toBe('3 s ago')
    expect(fact(words, 'Gaps closed')).toBe('2')
  })

  it('[FEED-14] delayed: how old the beat is, not how lately the line spoke', () => {
    const words = connectionWords(EACH.delayed, around)
    expect(words.fact).toBe('1 min')
    expect(fact(words, 'Last sign of life')).toBe('1 min 12 s ago')
    expect(fact(words, 'Next')).toBe('polling in 3 s')
  })

  it('[FEED-14] polling: why, what the last answer held, and when live is tried next', () => {
    const words = connectionWords(polling, around)
    expect(words.fact).toBe('live in 23 s')
    expect(words.sentence).toContain('broke 3 times')
    expect(fact(words, 'Reason')).toBe('Server closed it (503)')
    expect(fact(words, 'Last answer')).toBe('2 s ago, nothing new')
    expect(fact(words, 'Next live try')).toBe('in 23 s')
  })

  it('[FEED-14] polling: a try under way and a wait that the server asked for are said as such', () => {
    expect(fact(connectionWords({ ...polling, tryAt: null }, around), 'Next live try')).toBe('trying now')
    expect(connectionWords({ ...polling, tryAt: null }, around).fact).toBeNull()
    expect(connectionWords({ ...polling, told: true }, around).sentence).toContain('asked us to come back later')
    const quiet = connectionWords({ ...polling, quiet: true, tryAt: null, trouble: null }, around)
    expect(quiet.sentence).toContain('the log is silent')
    expect(fact(quiet, 'Next live try')).toBeUndefined()
  })

  it('[FEED-14] offline: what waits on this device', () => {
    const words = connectionWords(EACH.offline, { ...around, posts: 2, marks: 14 })
    expect(words.fact).toBe('2 waiting')
    expect(words.title).toMatch(/^Offline since \d\d:\d\d$/)
    expect(fact(words, 'Waiting to be sent')).toBe('2 posts')
    expect(fact(words, 'Read marks kept')).toBe('14')
    expect(connectionWords(EACH.offline, around).fact).toBeNull()
  })

  it('[FEED-14] a first connection that takes long is spoken about', () => {
    const long = connectionWords({ ...EACH.connecting, since: NOW - 5_000 }, around)
    expect(long.sentence).toContain('Still connecting')
    expect(connectionWords(EACH.connecting, around).sentence).not.toContain('Still')
  })
})
