// What went wrong that should not have, counted until the server has heard of it. Pure. What is being reported stays in
// the books until the answer is there: a report may count twice when an answer is lost, but never not at all.
import type { z } from 'zod'
import type { lossReport } from '#shared/feed.ts'

export type Losses = z.infer<typeof lossReport>
export type Ledger = { open: Losses; reporting: Losses | null; reportedAt: number | null }

export const REPORT_EVERY_MS = 60_000
/** As much as the server takes at once; the rest goes with the next report. */
const MOST: Losses = { gaps: 1_000, repeats: 1_000, breakerOpened: 100 }
const NONE: Losses = { gaps: 0, repeats: 0, breakerOpened: 0 }

export const NEW_LEDGER: Ledger = { open: NONE, reporting: null, reportedAt: null }

const combine = (a: Losses, b: Partial<Losses>, how: (x: number, y: number) => number): Losses => ({
  gaps: how(a.gaps, b.gaps ?? 0),
  repeats: how(a.repeats, b.repeats ?? 0),
  breakerOpened: how(a.breakerOpened, b.breakerOpened ?? 0),
})
const plus = (a: Losses, b: Partial<Losses>) => combine(a, b, (x, y) => x + y)
const isNone = (losses: Losses) => losses.gaps + losses.repeats + losses.breakerOpened === 0

export const enter = (ledger: Ledger, part: Partial<Losses>): Ledger => ({ ...ledger, open: plus(ledger.open, part) })

/** Everything that the server has not acknowledged. */
export const owed = ({ open, reporting }: Ledger): Losses => plus(open, reporting ?? NONE)

/** When to report; null while there is nothing, or a report is under way. */
export function reportAt({ open, reporting, reportedAt }: Ledger): number | null {
  if (reporting !== null || isNone(open)) return null
  return reportedAt === null ? 0 : reportedAt + REPORT_EVERY_MS
}

export function beginReport(ledger: Ledger, now: number): { ledger: Ledger; report: Losses | null } {
  if (ledger.reporting !== null || isNone(ledger.open)) return { ledger, report: null }
  const report = combine(ledger.open, MOST, Math.min)
  const open = combine(ledger.open, report, (x, y) => x - y)
  return { ledger: { open, reporting: report, reportedAt: now }, report }
}

export const endReport = (ledger: Ledger, taken: boolean): Ledger => ({
  ...ledger,
  open: taken ? ledger.open : owed(ledger),
  reporting: null,
})
