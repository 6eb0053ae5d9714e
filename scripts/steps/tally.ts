// Counts what the test runners report, from their JSON. A runner that fails without a failed test (a file that does not
// load, an error outside a test, a crash) counts as one failure: a red run never looks green.

export type Tally = { passed: number; failed: number }

export const sum = (tallies: Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.reduce((total, { failed }) => total + failed, 0),
})

/** The closing line of `npm test`. */
export const tallyLine = ({ passed, failed }: Tally): string => `${passed} passed, ${failed} failed`

export const tallyOfCheck = (exitCode: number | null): Tally =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }

/** The report of vitest's `json` reporter; null when there is none. */
export function tallyOfVitest(report: unknown, exitCode: number | null): Tally {
  const { numPassedTests: passed, numFailedTests: failed, testResults } = (report ?? {}) as VitestReport
  const unloaded = (testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults?.some((test) => test.status === 'failed'),
  ).length
  return atLeastOneFailure({ passed: passed ?? 0, failed: (failed ?? 0) + unloaded }, exitCode)
}

/** The report of Playwright's `json` reporter; null when there is none. A test that needed a second try has passed. */
export function tallyOfPlaywright(report: unknown, exitCode: number | null): Tally {
  const { expected = 0, flaky = 0, unexpected = 0 } = ((report ?? {}) as PlaywrightReport).stats ?? {}
  return atLeastOneFailure({ passed: expected + flaky, failed: unexpected }, exitCode)
}

const atLeastOneFailure = (tally: Tally, exitCode: number | null): Tally =>
  exitCode !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally

type VitestReport = {
  numPassedTests?: number
  numFailedTests?: number
  testResults?: { status?: string; assertionResults?: { status?: string }[] }[]
}
type PlaywrightReport = { stats?: { expected?: number; flaky?: number; unexpected?: number } }
