// How far a reader is behind. The platform does not tell what a socket still has to send, so the hub asks: after every so
// many frames it sends a mark, which the reader gives back when it has come so far.
import { MARK_EVERY, MAX_BACKLOG, PAUSE_BACKLOG, RESUME_BACKLOG } from '#shared/hub/tuning.ts'

export type Flow = { sent: number; confirmed: number; marked: number }

export const NEW_FLOW: Flow = { sent: 0, confirmed: 0, marked: 0 }

export const backlog = ({ sent, confirmed }: Flow): number => sent - confirmed
export const isBehind = (flow: Flow): boolean => backlog(flow) > PAUSE_BACKLOG
export const hasCaughtUp = (flow: Flow): boolean => backlog(flow) < RESUME_BACKLOG
export const isLost = (flow: Flow): boolean => backlog(flow) > MAX_BACKLOG

/** After one frame more; `mark` is to be sent now, or null. */
export function afterSend(flow: Flow): { flow: Flow; mark: number | null } {
  const sent = flow.sent + 1
  if (sent - flow.marked < MARK_EVERY) return { flow: { ...flow, sent }, mark: null }
  return { flow: { ...flow, sent, marked: sent }, mark: sent }
}

/** A mark came back. One from before a sleep, or an invented one, counts for no more than was sent. */
export const afterMark = (flow: Flow, mark: number): Flow => ({
  ...flow,
  confirmed: Math.max(flow.confirmed, Math.min(mark, flow.marked)),
})
