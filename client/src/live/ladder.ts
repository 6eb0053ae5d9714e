// The transport ladder: the best rung that works, polling below them all. Pure: says what to open, close and ask next,
// and what the pill may honestly claim. Rungs stand best first; another one (the edge) would be added in front.
// A signal changes the rung or the poll it is about; `settle` then brings the whole into line.
import { IDLE, type PollingSchedule, type PollSignal, stepPolling } from '#shared/polling-schedule.ts'
import { NEW_RUNG, type Rung, type RungSignal, stepRung, type Trouble } from './rung.ts'

export const RUNGS = ['server'] as const
export type RungName = (typeof RUNGS)[number]

/** The log beats every 15 s; after three missed beats items may be late, and we say so. */
export const BEAT_EVERY_MS = 15_000
export const DELAYED_AFTER_MS = 45_000
/** After so long without a beat we ask besides listening: the answer comes from the database, not from the log. */
export const LEAVE_AFTER_MS = 75_000

export type LastPoll = { at: number; found: number }

export type Ladder = {
  /** Why nothing is tried: not started yet, no network, no session. */
  rest: null | { why: 'not-started' } | { why: 'offline'; since: number } | { why: 'signed-out' }
  hidden: boolean
  rungs: Record<RungName, Rung>
  polling: PollingSchedule
  lastPoll: LastPoll | null
  /** Nothing has been live or answered yet. */
  first: boolean
}

export type LadderSignal =
  | { type: 'start'; now: number; roll: number; online: boolean; hidden: boolean }
  | { type: 'online'; now: number; roll: number }
  | { type: 'offline'; now: number; roll: number }
  | { type: 'shown' | 'hidden'; now: number; roll: number }
  | { type: 'rung'; name: RungName; signal: RungSignal; now: number; roll: number }
  | { type: 'polled'; now: number; roll: number; found: number }
  | { type: 'poll-failed'; now: number; roll: number; retryAfterMs: number | null }
  | { type: 'signed-out'; now: number; roll: number }
  | { type: 'try-now'; now: number; roll: number }
  | { type: 'alarm'; now: number; roll: number }

export type LadderEffect = { do: 'open' | 'close'; rung: RungName } | { do: 'poll' }
export type LadderStep = { ladder: Ladder; effects: LadderEffect[] }

export const NEW_LADDER: Ladder = {
  rest: { why: 'not-started' },
  hidden: false,
  rungs: { server: NEW_RUNG },
  polling: IDLE,
  lastPoll: null,
  first: true,
}

export function stepLadder(before: Ladder, signal: LadderSignal): LadderStep {
  const draft = new Draft(before)
  const { now, roll } = signal
  switch (signal.type) {
    case 'start':
      if (before.rest?.why === 'not-started')
        draft.set({ hidden: signal.hidden, rest: signal.online ? null : { why: 'offline', since: now } })
      break
    case 'online':
      if (before.rest?.why === 'offline') {
        draft.set({ rest: null })
        draft.allRungs({ type: 'hurry', now })
      }
      break
    case 'offline':
      if (before.rest === null) draft.set({ rest: { why: 'offline', since: now } })
      break
    case 'shown':
    case 'hidden':
      draft.set({ hidden: signal.type === 'hidden' })
      draft.poll({ type: signal.type, now, roll })
      break
    case 'rung':
      draft.rung(signal.name, signal.signal)
      if (signal.signal.type === 'heard') draft.set({ first: false })
      break
    case 'polled':
      draft.set({ lastPoll: { at: now, found: signal.found }, first: false })
      draft.poll({ type: 'answered', now, roll, hidden: before.hidden })
      break
    case 'poll-failed':
      draft.poll({ type: 'failed', now, roll, hidden: before.hidden, retryAfterMs: signal.retryAfterMs })
      break
    case 'signed-out':
      draft.set({ rest: { why: 'signed-out' } })
      break
    case 'try-now':
      draft.allRungs({ type: 'hurry', now })
      break
    case 'alarm':
      break
  }
  settle(draft, now, roll)
  return { ladder: draft.ladder, effects: draft.effects }
}

function settle(draft: Draft, now: number, roll: number) {
  if (draft.ladder.rest !== null) {
    if (draft.ladder.rest.why !== 'not-started') draft.allRungs({ type: 'cut', now })
    draft.poll({ type: 'stop' })
    return
  }
  let better = false
  for (const name of RUNGS) {
    // A worse rung closes once a better one has shown that it works.
    if (better) draft.rung(name, { type: 'cut', now })
    else draft.rung(name, { type: 'due', now })
    better ||= isUsable(draft.ladder.rungs[name], now)
  }
  draft.poll(better ? { type: 'stop' } : { type: 'start', now, roll })
  draft.poll({ type: 'due', now })
}

const isUsable = (rung: Rung, now: number) => rung.link.phase === 'up' && now - rung.link.beatAt < LEAVE_AFTER_MS

/** When to send `alarm`, whatever else happens until then; null for never. */
export function nextAlarm(ladder: Ladder, now: number): number | null {
  if (ladder.rest !== null) return null
  const moments: number[] = []
  for (const name of RUNGS) {
    const { link } = ladder.rungs[name]
    if (link.phase === 'down') moments.push(link.retryAt)
    if (link.phase === 'up' && isUsable(ladder.rungs[name], now)) moments.push(link.beatAt + LEAVE_AFTER_MS)
  }
  if (ladder.polling.phase === 'waiting') moments.push(ladder.polling.at)
  return moments.length === 0 ? null : Math.min(...moments)
}

/** Carries one step: collects effects while keeping the ladder it came from untouched. */
class Draft {
  ladder: Ladder
  readonly effects: LadderEffect[] = []
  constructor(ladder: Ladder) {
    this.ladder = ladder
  }
  set(part: Partial<Ladder>) {
    this.ladder = { ...this.ladder, ...part }
  }
  rung(name: RungName, signal: RungSignal) {
    const step = stepRung(this.ladder.rungs[name], signal)
    if (step.rung !== this.ladder.rungs[name]) this.set({ rungs: { ...this.ladder.rungs, [name]: step.rung } })
    for (const effect of step.effects) this.effects.push({ do: effect, rung: name })
  }
  allRungs(signal: RungSignal) {
    for (const name of RUNGS) this.rung(name, signal)
  }
  poll(signal: PollSignal) {
    const step = stepPolling(this.ladder.polling, signal)
    if (step.state !== this.ladder.polling) this.set({ polling: step.state })
    if (step.effects.some((effect) => effect.do === 'ask')) this.effects.push({ do: 'poll' })
  }
}

// ── What the pill may say ─────────────────────────────────────────────────────────────────────────────────────────

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
  const up = RUNGS.map((name) => ladder.rungs[name].link).find((link) => link.phase === 'up')
  if (up) {
    const age = now - up.beatAt
    if (age < DELAYED_AFTER_MS) return { state: 'live', heardAt: up.heardAt }
    if (age < LEAVE_AFTER_MS)
      return { state: 'delayed', beatAt: up.beatAt, heardAt: up.heardAt, pollAt: up.beatAt + LEAVE_AFTER_MS }
  }
  const rung = ladder.rungs[RUNGS[0]]
  const resting = rung.breaker.phase !== 'closed' || rung.told
  if (up || resting || (ladder.lastPoll !== null && rung.attempts > 0)) {
    return {
      state: 'polling',
      trouble: rung.trouble,
      failures: rung.attempts,
      told: rung.told,
      quiet: up !== undefined,
      tryAt: rung.link.phase === 'down' ? rung.link.retryAt : null,
      lastPoll: ladder.lastPoll,
      pollAt: ladder.polling.phase === 'waiting' ? ladder.polling.at : null,
    }
  }
  return {
    state: 'connecting',
    since: rung.link.phase === 'opening' ? rung.link.since : now,
    trouble: rung.trouble,
  }
}

export function rungViews(ladder: Ladder, now: number): RungView[] {
  const connection = connectionOf(ladder, now)
  const views: RungView[] = RUNGS.map((name) => {
    const rung = ladder.rungs[name]
    if (rung.link.phase === 'up' && isUsable(rung, now)) return { name, state: 'in-use' }
    const failed = rung.trouble !== null || connection.state === 'offline' || connection.state === 'polling'
    return { name, state: failed ? 'failed' : 'idle' }
  })
  const polling = connection.state === 'polling' ? 'in-use' : connection.state === 'offline' ? 'failed' : 'idle'
  return [...views, { name: 'polling', state: polling }]
}
