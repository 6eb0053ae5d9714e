import { describe, expect, it } from 'vitest'
import {
  type Follower,
  type FollowerSignal,
  type FollowerStep,
  LEADER_ANSWER_MS,
  LEADER_SILENCE_MS,
  ladderSeen,
  newFollower,
  type Place,
  SUCCESSION_MS,
  stepFollower,
} from './follower.ts'
import { type Ladder, NEW_LADDER } from './ladder.ts'
import type { LiveEvent } from './live-event.ts'
import type { LeaderNews } from './tab-messages.ts'
import { pageOf } from './testing-tab.ts'

const NOW = 1_000_000
const [BEHIND, SAME, AHEAD] = ['epoch1.4-0', 'epoch1.5-0', 'epoch1.9-0']
const beat: LiveEvent = { name: 'beat', id: AHEAD, body: { position: AHEAD, beatAgeMs: 0 } }
const page = pageOf([], {}, { liveCursor: AHEAD })
const state = (position: string | null, ladder: Ladder = NEW_LADDER): LeaderNews => ({
  ...{ type: 'state', ladder, syncedAt: 7, position, counts: null },
})

/** The next message of the leader of term 3, to a tab that knows everything up to SAME. */
const message = (news: LeaderNews, term = 3, n = 11): FollowerSignal => ({
  ...{ type: 'message', position: SAME, hidden: true, now: NOW },
  message: { from: 'leader', term, n, news },
})

type Case =
  | 'covered'
  | 'uncovered'
  | 'opened'
  | 'openedLater'
  | 'event'
  | 'page'
  | 'pageLater'
  | 'caughtUp'
  | 'caughtShort'
const signals: Record<Case, FollowerSignal> = {
  covered: message(state(BEHIND)),
  uncovered: message(state(AHEAD)),
  opened: message({ type: 'opened', after: SAME }),
  openedLater: message({ type: 'opened', after: AHEAD }),
  event: message({ type: 'event', event: beat }),
  page: message({ type: 'page', after: SAME, page }),
  pageLater: message({ type: 'page', after: AHEAD, page }),
  caughtUp: { type: 'caught-up', position: AHEAD },
  caughtShort: { type: 'caught-up', position: SAME },
}

const apart: Place = { is: 'apart' }
const joined: Place = { is: 'joined' }
const catching: Place = { is: 'catching', target: AHEAD }
const catchUp = { do: 'catch-up' } as const
const told = (move: boolean) => ({ do: 'event', event: beat, move }) as const
const answered = (move: boolean) => ({ do: 'page', page, move }) as const
type Cell = [Place, ...FollowerStep['effects']]

// Every place × every kind of news; a missing cell does not compile.
const table: Record<Place['is'], Record<Case, Cell>> = {
  apart: {
    covered: [joined],
    uncovered: [catching, catchUp],
    opened: [apart],
    openedLater: [catching, catchUp],
    event: [apart, told(false)],
    page: [apart, answered(false)],
    pageLater: [apart, answered(false)],
    caughtUp: [apart],
    caughtShort: [apart],
  },
  catching: {
    covered: [joined],
    uncovered: [catching],
    opened: [catching],
    openedLater: [catching, catchUp],
    event: [catching, told(false)],
    page: [catching, answered(false)],
    pageLater: [catching, answered(false)],
    caughtUp: [joined],
    caughtShort: [catching],
  },
  joined: {
    covered: [joined],
    uncovered: [joined],
    opened: [joined],
    openedLater: [catching, catchUp],
    event: [joined, told(true)],
    page: [joined, answered(true)],
    pageLater: [catching, answered(false), catchUp],
    caughtUp: [joined],
    caughtShort: [joined],
  },
}

const at = (place: Place): Follower => ({ ...newFollower(NOW, 0), term: 3, n: 10, place })
const places = { apart, catching, joined }

describe('follower', () => {
  for (const [is, row] of Object.entries(table) as [Place['is'], (typeof table)['joined']][])
    for (const [name, [place, ...effects]] of Object.entries(row) as [Case, Cell][])
      it(`[LIVE-12] ${is} × ${name}`, () => {
        const step = stepFollower(at(places[is]), signals[name])
        expect(step.follower.place).toEqual(place)
        expect(step.effects).toEqual(effects)
      })

  it('[LIVE-12] a gap in the numbers, or another leader, means that something may be missing', () => {
    for (const [term, n] of [
      [3, 12],
      [4, 1],
    ]) {
      const step = stepFollower(at(joined), message({ type: 'event', event: beat }, term, n))
      expect(step.follower).toMatchObject({ term, n, place: apart })
      expect(step.effects).toEqual([told(false), { do: 'hello' }])
      expect(stepFollower(at(joined), message(state(SAME), term, n)).follower.place).toEqual(joined)
    }
  })

  it('[LIVE-12] what a replaced leader still says is heard, and moves nothing', () => {
    const step = stepFollower(at(joined), message({ type: 'event', event: beat }, 2, 50))
    expect(step).toEqual({ follower: at(joined), effects: [told(false)] })
    expect(stepFollower(at(joined), message(state(AHEAD), 2, 50)).effects).toEqual([])
  })

  it('[LIVE-12] a message that comes twice is heard once', () => {
    expect(stepFollower(at(joined), message({ type: 'event', event: beat }, 3, 10)).effects).toEqual([])
  })

  it('[LIVE-12] a silent leader is asked first, then replaced', () => {
    const { follower } = stepFollower(at(joined), signals.event)
    expect(follower.deadline).toBe(NOW + LEADER_SILENCE_MS)
    const early = stepFollower(follower, { type: 'alarm', now: follower.deadline - 1, roll: 0 })
    expect(early.effects).toEqual([])
    const asked = stepFollower(follower, { type: 'alarm', now: follower.deadline, roll: 0 })
    expect(asked.effects).toEqual([{ do: 'hello' }])
    const replaced = stepFollower(asked.follower, { type: 'alarm', now: asked.follower.deadline, roll: 0 })
    expect(replaced.effects).toEqual([{ do: 'steal' }])
    expect(asked.follower.deadline - follower.deadline).toBe(LEADER_ANSWER_MS)
  })

  it('[LIVE-12] after a goodbye the wait for the next one is within two seconds', () => {
    const { follower } = stepFollower(at(joined), { type: 'bye', now: NOW, roll: 0.999 })
    expect(follower.deadline).toBeLessThan(NOW + 2_000)
    expect(follower.deadline).toBeGreaterThanOrEqual(NOW + SUCCESSION_MS)
    expect(stepFollower(follower, { type: 'alarm', now: follower.deadline, roll: 0 }).effects).toEqual([
      { do: 'steal' },
    ])
  })

  it('[FEED-14] it says of the connection what the leader says, but nothing before it has everything', () => {
    const { follower } = stepFollower(at(apart), signals.covered)
    expect(ladderSeen(follower)).toBe(follower.shared!.ladder)
    expect(ladderSeen({ ...follower, place: catching })).toBe(NEW_LADDER)
    const offline: Ladder = { ...NEW_LADDER, rest: { why: 'offline', since: NOW } }
    const cut = stepFollower(at(apart), message(state(AHEAD, offline)))
    expect(ladderSeen(cut.follower)).toBe(offline)
  })
})
