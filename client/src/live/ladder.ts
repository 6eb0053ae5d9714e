// The transport ladder: the best rung that works, polling below them all. Pure: says what to open, close and ask next.
// Rungs stand best first. A signal changes the rung or the poll it is about; `settle` then brings the whole into line.
// From one way to another there is a seam: the new one has shown that it works, then one poll is answered that was asked
// after that, and only then the old one ends. Whatever lay between the two has come by then, mostly twice.
import { POLL_MS, type PollSignal, stepPolling } from '#shared/polling-schedule.ts'
import { isUsable, type Ladder, LEAVE_AFTER_MS, PATIENCE_MS, RUNGS, type RungName } from './ladder-state.ts'
import { type Rung, type RungSignal, stepRung } from './rung.ts'

export { type Ladder, LEAVE_AFTER_MS, NEW_LADDER, PATIENCE_MS, RUNGS, type RungName } from './ladder-state.ts'

export type LadderSignal =
  | { type: 'start'; now: number; roll: number; online: boolean; hidden: boolean; edge: boolean }
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

export function stepLadder(before: Ladder, signal: LadderSignal): LadderStep {
  const draft = new Draft(before)
  const { now, roll } = signal
  switch (signal.type) {
    case 'start':
      if (before.rest?.why !== 'not-started') break
      draft.set({ hidden: signal.hidden, rest: signal.online ? null : { why: 'offline', since: now } })
      draft.rung('edge', { type: 'exists', exists: signal.edge })
      // A schedule that was left by a tab that nobody looked at, or the other way round.
      if (before.hidden !== signal.hidden) draft.poll({ type: signal.hidden ? 'hidden' : 'shown', now, roll })
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
      break
    case 'polled':
      draft.set({ lastPoll: { at: now, found: signal.found } })
      if (before.seam?.asked) draft.set({ inUse: before.seam.to, seam: null })
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
    if (draft.ladder.seam !== null) draft.set({ seam: null })
    return
  }
  const best = RUNGS.find((name) => isUsable(draft.ladder.rungs[name], now)) ?? null
  for (const name of best === null ? RUNGS : RUNGS.slice(0, RUNGS.indexOf(best))) {
    draft.rung(name, { type: 'due', now })
    if (patientUntil(draft.ladder.rungs[name]) > now) break
  }
  if (best === null) {
    if (draft.ladder.seam !== null) draft.set({ seam: null })
    draft.poll({ type: 'start', now, roll })
    if (draft.poll({ type: 'due', now })) draft.set({ inUse: 'polling' })
    return
  }
  const { inUse, seam } = draft.ladder
  // The edge's stream begins where its session does, so it needs the question also when it is the first way of all.
  if (inUse !== best && (inUse !== null || best === 'edge')) {
    if (seam?.to !== best) draft.set({ seam: { to: best, asked: false } })
    if (!draft.ladder.seam!.asked) draft.poll({ type: 'hurry', now })
    if (draft.poll({ type: 'due', now })) draft.set({ seam: { to: best, asked: true } })
    return
  }
  if (inUse === null) draft.set({ inUse: best })
  for (const name of RUNGS.slice(RUNGS.indexOf(best) + 1)) draft.rung(name, { type: 'cut', now })
  draft.poll({ type: 'stop' })
}

/** It has told something, and the log behind it lives. */
/** Until then a rung that is just being opened keeps those below it waiting. */
const patientUntil = ({ link }: Rung): number =>
  link.phase === 'opening' || (link.phase === 'up' && link.heardAt === null) ? link.since + PATIENCE_MS : 0

/** When to send `alarm`, whatever else happens until then; null for never. */
export function nextAlarm(ladder: Ladder, now: number): number | null {
  if (ladder.rest !== null) return null
  const moments: number[] = []
  let heldUntil = 0
  for (const name of RUNGS) {
    const rung = ladder.rungs[name]
    if (rung.link.phase === 'down') moments.push(Math.max(rung.link.retryAt, heldUntil))
    heldUntil = Math.max(heldUntil, patientUntil(rung))
    if (rung.link.phase !== 'up' || !isUsable(rung, now)) continue
    moments.push(rung.link.beatAt + LEAVE_AFTER_MS)
    // Nobody waits for what lies below one that works.
    break
  }
  if (ladder.polling.phase === 'waiting') moments.push(ladder.polling.at)
  return moments.length === 0 ? null : Math.min(...moments)
}

/**
 * The ladder of another tab, to go on from in this one: its connections and questions went with it, but what it learned
 * about the server stays, so that a hand-over asks a struggling server for nothing more.
 */
export function inheritLadder(left: Ladder, now: number, roll: number): Ladder {
  const rungs = { ...left.rungs }
  for (const name of RUNGS) {
    const { rung } = stepRung(rungs[name], { type: 'cut', now })
    rungs[name] = rung
  }
  const { polling } = left
  return {
    ...left,
    rest: { why: 'not-started' },
    rungs,
    polling:
      polling.phase === 'asking'
        ? { phase: 'waiting', at: now + Math.round(POLL_MS * roll), notBefore: 0, failures: polling.failures }
        : polling,
    seam: null,
  }
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
  /** True when it led to a question. */
  poll(signal: PollSignal): boolean {
    const step = stepPolling(this.ladder.polling, signal)
    if (step.state !== this.ladder.polling) this.set({ polling: step.state })
    const asks = step.effects.some((effect) => effect.do === 'ask')
    if (asks) this.effects.push({ do: 'poll' })
    return asks
  }
}
