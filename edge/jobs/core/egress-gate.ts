// Whether the egress may be called. When it is down, everybody waits, longer each time, and one job tries first.
//   open ─it is down→ resting ─time is up, asked→ trying ─answered→ open
//                        ▲────────────────it is down──┘
import { EGRESS_REST_MAX_MS, EGRESS_REST_MS } from './tuning.ts'

export type EgressGate =
  | { phase: 'open' }
  | { phase: 'resting'; failures: number; until: number }
  | { phase: 'trying'; failures: number }

export const OPEN: EgressGate = { phase: 'open' }

/** Null: not before what is under way has ended. */
export const passableAt = (gate: EgressGate): number | null =>
  gate.phase === 'open' ? 0 : gate.phase === 'resting' ? gate.until : null

/** After somebody was let through. */
export const passed = (gate: EgressGate): EgressGate =>
  gate.phase === 'resting' ? { phase: 'trying', failures: gate.failures } : gate

export function answered(gate: EgressGate): EgressGate {
  return gate.phase === 'open' ? gate : OPEN
}

export function wasDown(gate: EgressGate, now: number, roll: number): EgressGate {
  // One of several that were under way when it went down: it is already paid for.
  if (gate.phase === 'resting') return gate
  const failures = gate.phase === 'trying' ? gate.failures + 1 : 1
  const rest = Math.min(EGRESS_REST_MS * 2 ** Math.min(failures - 1, 20), EGRESS_REST_MAX_MS)
  return { phase: 'resting', failures, until: now + Math.round(rest * (0.5 + roll / 2)) }
}

/** What was under way ended without telling anything. */
export const untold = (gate: EgressGate, now: number): EgressGate =>
  gate.phase === 'trying' ? { phase: 'resting', failures: gate.failures, until: now } : gate
