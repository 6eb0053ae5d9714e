// What the pill may honestly say of a ladder at a moment. Pure; it claims "live" only for a connection that has told
// something and whose log lives.
import { isUsable, type Ladder, type LastPoll, LEAVE_AFTER_MS, RUNGS, type RungName } from './ladder-state.ts'
import type { Trouble } from './rung-state.ts'

export type RungView = { name: RungName | 'polling'; state: 'in-use' | 'failed' | 'idle' }

export type Connection =
  | { state: 'connecting'; since: number; trouble: Trouble | null }
  | { state: 'live'; heardAt: number; via: RungName }
  | { state: 'delayed'; beatAt: number; heardAt: number; pollAt: number }
  | {
      state: 'polling'
      trouble: Trouble | null
      failures: number
      told: boolean
      quiet: boolean
      tryAt: number | null
      lastPoll: LastPoll | null
      pollAt: number | null
    }
  | { state: 'offline'; since: number }
  | { state: 'signed-out' }

export function connectionOf(ladder: Ladder, now: number): Connection {
  if (ladder.rest?.why === 'signed-out') return { state: 'signed-out' }
  if (ladder.rest?.why === 'offline') return { state: 'offline', since: ladder.rest.since }
  const { lastPoll } = ladder
  const pollAt = ladder.polling.phase === 'waiting' ? ladder.polling.at : null
  const up = upLink(ladder, now)
  if (up) {
    const lateAt = up.beatAt + LEAVE_AFTER_MS
    if (now < lateAt) return { state: 'live', heardAt: up.heardAt, via: up.name }
    // Late until the first answer by another way.
    const { beatAt, heardAt } = up
    if (lastPoll === null || lastPoll.at < lateAt) return { state: 'delayed', beatAt, heardAt, pollAt: pollAt ?? now }
  }
  // The one that every installation has: why it does not work is why we poll.
  const rung = ladder.rungs.server
  const resting = rung.breaker.phase !== 'closed' || rung.told
  if (up || resting || (lastPoll !== null && rung.attempts > 0)) {
    return {
      state: 'polling',
      trouble: rung.trouble,
      failures: rung.attempts,
      told: rung.told,
      quiet: up !== null,
      tryAt: rung.link.phase === 'down' ? rung.link.retryAt : null,
      lastPoll,
      pollAt,
    }
  }
  return {
    state: 'connecting',
    since: rung.link.phase === 'opening' ? rung.link.since : now,
    trouble: rung.trouble,
  }
}

/** What is used, or works, or at least is connected, in this order. */
function upLink(ladder: Ladder, now: number): { name: RungName; heardAt: number; beatAt: number } | null {
  const up = RUNGS.flatMap((name) => {
    const { link } = ladder.rungs[name]
    const { heardAt, beatAt } = link.phase === 'up' ? link : { heardAt: null, beatAt: 0 }
    return heardAt === null ? [] : [{ name, heardAt, beatAt, usable: isUsable(ladder.rungs[name], now) }]
  })
  const used = up.find(({ name, usable }) => usable && name === ladder.inUse)
  return used ?? up.find(({ usable }) => usable) ?? up[0] ?? null
}

/** Best first; what this installation does not have is not shown. */
export function rungViews(ladder: Ladder, now: number): RungView[] {
  const connection = connectionOf(ladder, now)
  const used = connection.state === 'live' ? connection.via : null
  const views: RungView[] = RUNGS.filter((name) => ladder.rungs[name].link.phase !== 'absent').map((name) => {
    const rung = ladder.rungs[name]
    if (name === used) return { name, state: 'in-use' }
    const isLate = rung.link.phase === 'up' && rung.link.heardAt !== null && !isUsable(rung, now)
    const failed = isLate || rung.trouble !== null || connection.state === 'offline' || connection.state === 'polling'
    return { name, state: failed ? 'failed' : 'idle' }
  })
  const polling = connection.state === 'polling' ? 'in-use' : connection.state === 'offline' ? 'failed' : 'idle'
  return [...views, { name: 'polling', state: polling }]
}
