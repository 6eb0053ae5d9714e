// A tab that gets what another one hears. Decides, as a pure machine: whether it has everything, when to ask for what it
// missed, and when the leader is to be replaced.
//   apart ─leader's place is not covered by ours→ catching ─answer reaches it→ joined ─message missed→ apart
//   apart ─leader's place is covered→ joined
// Its position moves only while joined: until then it marks the place from which the catch-up has to start.
import type { FeedPage } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import { connectionOf } from './connection.ts'
import { covers } from './coverage.ts'
import { type Ladder, NEW_LADDER } from './ladder.ts'
import type { LiveEvent } from './live-event.ts'
import type { LeaderMessage, LeaderNews } from './tab-messages.ts'

/** Three beats of the log without a word: then it is asked, and replaced if it does not answer. */
export const LEADER_SILENCE_MS = 45_000
export const LEADER_ANSWER_MS = 2_000
/** The next in line speaks within this time after the leader has left; the browser tells it at once. */
export const SUCCESSION_MS = 1_500

/** `target`: where the leader was when we began to listen to it; null when it does not know. */
export type Place = { is: 'apart' } | { is: 'catching'; target: string | null } | { is: 'joined' }

export type Follower = {
  term: number
  n: number
  place: Place
  shared: { ladder: Ladder; syncedAt: number | null } | null
  /** When to wonder about the leader; `asked`: we wondered already. */
  deadline: number
  asked: boolean
}

export type FollowerSignal =
  | { type: 'message'; message: LeaderMessage; position: string | null; hidden: boolean; now: number }
  | { type: 'bye'; now: number; roll: number }
  | { type: 'caught-up'; position: string | null }
  | { type: 'shown'; now: number }
  | { type: 'alarm'; now: number; roll: number }

export type FollowerEffect =
  | { do: 'hello' }
  | { do: 'catch-up' }
  | { do: 'steal' }
  | { do: 'counts'; counts: UnreadCounts }
  | { do: 'event'; event: LiveEvent; move: boolean }
  | { do: 'page'; page: FeedPage; move: boolean }

export type FollowerStep = { follower: Follower; effects: FollowerEffect[] }

const APART: Place = { is: 'apart' }
const JOINED: Place = { is: 'joined' }

const to = (follower: Follower, ...effects: FollowerEffect[]): FollowerStep => ({ follower, effects })

/** Begins with a hello that has just been sent. */
export const newFollower = (now: number, roll: number): Follower => ({
  term: 0,
  n: 0,
  place: APART,
  shared: null,
  deadline: now + LEADER_ANSWER_MS * (1 + roll),
  asked: true,
})

export function stepFollower(follower: Follower, signal: FollowerSignal): FollowerStep {
  switch (signal.type) {
    case 'message':
      return hear(follower, signal)
    case 'bye':
      return to({ ...follower, asked: true, deadline: signal.now + SUCCESSION_MS * (1 + signal.roll / 4) })
    case 'caught-up': {
      const { place } = follower
      if (place.is !== 'catching') return to(follower)
      const reached = place.target === null || covers(signal.position, place.target)
      return to(reached ? { ...follower, place: JOINED } : follower)
    }
    case 'shown':
      return isSleepy(follower, signal.now) ? to(follower, { do: 'steal' }) : to(follower)
    case 'alarm': {
      const { now, roll } = signal
      if (now < follower.deadline) return to(follower)
      const deadline = now + LEADER_ANSWER_MS * (1 + roll)
      if (!follower.asked) return to({ ...follower, asked: true, deadline }, { do: 'hello' })
      return to({ ...follower, term: 0, deadline }, { do: 'steal' })
    }
  }
}

function hear(before: Follower, signal: Extract<FollowerSignal, { type: 'message' }>): FollowerStep {
  const { message, now } = signal
  // The last words of one that has been replaced: true, but no base to build on.
  if (message.term < before.term) return to(before, ...lastWords(message.news))
  const isNext = message.term === before.term && message.n === before.n + 1
  if (message.term === before.term && message.n <= before.n) return to(before)
  let follower: Follower = {
    ...before,
    term: message.term,
    n: message.n,
    place: isNext ? before.place : APART,
    deadline: now + LEADER_SILENCE_MS,
    asked: false,
  }
  const effects: FollowerEffect[] = []
  const { news } = message
  const isJoined = follower.place.is === 'joined'
  const catchUp = (target: string | null) => {
    follower = { ...follower, place: { is: 'catching', target } }
    effects.push({ do: 'catch-up' })
  }
  switch (news.type) {
    case 'state':
      follower = { ...follower, shared: { ladder: news.ladder, syncedAt: news.syncedAt } }
      if (news.counts) effects.push({ do: 'counts', counts: news.counts })
      if (!isJoined && covers(signal.position, news.position)) follower = { ...follower, place: JOINED }
      else if (follower.place.is === 'apart') catchUp(news.position)
      if (!signal.hidden && isSleepy(follower, now)) effects.push({ do: 'steal' })
      break
    case 'opened':
      if (!covers(signal.position, news.after)) catchUp(news.after)
      break
    case 'event':
      effects.push({ do: 'event', event: news.event, move: isJoined })
      break
    case 'page': {
      const move = isJoined && covers(signal.position, news.after)
      effects.push({ do: 'page', page: news.page, move })
      if (isJoined && !move) catchUp(news.page.liveCursor)
      break
    }
  }
  // Something was missed, and this message does not say where the leader is.
  if (!isNext && news.type !== 'state') effects.push({ do: 'hello' })
  return { follower, effects }
}

function lastWords(news: LeaderNews): FollowerEffect[] {
  if (news.type === 'event') return [{ do: 'event', event: news.event, move: false }]
  return news.type === 'page' ? [{ do: 'page', page: news.page, move: false }] : []
}

/** The leader polls in a tab that nobody sees, where timers sleep: one that is looked at does it better. */
const isSleepy = ({ shared }: Follower, now: number): boolean =>
  shared?.ladder.hidden === true && connectionOf(shared.ladder, now).state === 'polling'

/** What this tab may say about its connection: the leader's state, once nothing is missing here. */
export function ladderSeen({ shared, place }: Follower): Ladder {
  if (shared && (place.is === 'joined' || shared.ladder.rest !== null)) return shared.ladder
  return NEW_LADDER
}
