import { describe, expect, it } from 'vitest'
import { beginReport, endReport, enter, NEW_LEDGER, owed, REPORT_EVERY_MS, reportAt } from './ledger.ts'

const NOW = 1_000_000
const none = { gaps: 0, repeats: 0, breakerOpened: 0 }

describe('ledger', () => {
  it('[LIVE-18] with nothing in it there is nothing to report', () => {
    expect(reportAt(NEW_LEDGER)).toBeNull()
    expect(beginReport(NEW_LEDGER, NOW).report).toBeNull()
  })

  it('[LIVE-18] what happened is reported at once, and then once a minute at most', () => {
    const first = beginReport(enter(enter(NEW_LEDGER, { gaps: 1 }), { repeats: 2 }), NOW)
    expect(first.report).toEqual({ gaps: 1, repeats: 2, breakerOpened: 0 })
    const later = enter(endReport(first.ledger, true), { breakerOpened: 1 })
    expect(reportAt(later)).toBe(NOW + REPORT_EVERY_MS)
    expect(owed(later)).toEqual({ ...none, breakerOpened: 1 })
  })

  it('[LIVE-18] a report that fails goes back into the books, with what came meanwhile', () => {
    const { ledger } = beginReport(enter(NEW_LEDGER, { gaps: 3 }), NOW)
    const busy = enter(ledger, { gaps: 1 })
    expect(reportAt(busy)).toBeNull()
    expect(owed(busy)).toEqual({ ...none, gaps: 4 })
    expect(owed(endReport(busy, false))).toEqual({ ...none, gaps: 4 })
    expect(owed(endReport(busy, true))).toEqual({ ...none, gaps: 1 })
  })

  it('[LIVE-18] more than the server takes at once goes in several reports', () => {
    const { ledger, report } = beginReport(enter(NEW_LEDGER, { repeats: 2_500, breakerOpened: 7 }), NOW)
    expect(report).toEqual({ gaps: 0, repeats: 1_000, breakerOpened: 7 })
    expect(owed(endReport(ledger, true))).toEqual({ ...none, repeats: 1_500 })
  })
})
