// What the pill may honestly say of a ladder at a moment. Pure; it claims "live" only for a connection that has told
// something and whose log lives.
import { isUsable, type Ladder, type LastPoll, LEAVE_AFTER_MS, RUNGS, type RungName } from './ladder.ts'
import type { Trouble } from './rung.ts'

export type RungView = { name: RungName | 'polling'; state: 'in-use' | 'failed' | 'idle' }

export type Connection =
  | { state: 'connecting'; since: number; trouble: Trouble | null }
  | { state: 'live'; heardAt: number }
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
  const up = upLink(ladder)
  if (up) {
    const lateAt = up.beatAt + LEAVE_AFTER_MS
    if (now < lateAt) return { state: 'live', heardAt: up.heardAt }
    // Late until the first answer by another way.
    if (lastPoll === null || lastPoll.at < lateAt) return { state: 'delayed', ...up, pollAt: pollAt ?? now }
  }
  const rung = ladder.rungs[RUNGS[0]]
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

function upLink(ladder: Ladder): { heardAt: number; beatAt: number } | null {
  for (const name of RUNGS) {
    const { link } = ladder.rungs[name]
    if (link.phase === 'up' && link.heardAt !== null) return { heardAt: link.heardAt, beatAt: link.beatAt }
  }
  return null
}

export function rungViews(ladder: Ladder, now: number): RungView[] {
  const connection = connectionOf(ladder, now)
  const views: RungView[] = RUNGS.map((name) => {
    const rung = ladder.rungs[name]
    if (isUsable(rung, now)) return { name, state: 'in-use' }
    const failed = rung.trouble !== null || connection.state === 'offline' || connection.state === 'polling'
    return { name, state: failed ? 'failed' : 'idle' }
  })
  const polling = connection.state === 'polling' ? 'in-use' : connection.state === 'offline' ? 'failed' : 'idle'
  return [...views, { name: 'polling', state: polling }]
}
