import { describe, expect, test } from 'vitest'
import { sum, tallyLine, tallyOfCheck, tallyOfPlaywright, tallyOfVitest } from './tally.ts'

describe('vitest', () => {
  const passing = { status: 'passed', assertionResults: [{ status: 'passed' }] }

  test('tests count one each', () => {
    const report = { numPassedTests: 3, numFailedTests: 1, testResults: [passing] }
    expect(tallyOfVitest(report, 1)).toEqual({ passed: 3, failed: 1 })
  })

  test('a file that does not load counts as a failure beside the failed tests', () => {
    const testResults = [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
    ]
    expect(tallyOfVitest({ numPassedTests: 0, numFailedTests: 1, testResults }, 1)).toEqual({ passed: 0, failed: 2 })
  })

  test('a red run without a failed test, or without a report, is one failure', () => {
    expect(tallyOfVitest({ numPassedTests: 2, numFailedTests: 0, testResults: [passing] }, 1)).toEqual({
      passed: 2,
      failed: 1,
    })
    expect(tallyOfVitest(null, null)).toEqual({ passed: 0, failed: 1 })
  })
})

describe('Playwright', () => {
  test('a test that passed at the second try has passed, a skipped one counts nowhere', () => {
    const report = { stats: { expected: 4, flaky: 1, unexpected: 2, skipped: 3 } }
    expect(tallyOfPlaywright(report, 1)).toEqual({ passed: 5, failed: 2 })
  })

  test('a run that never got to the tests is one failure', () => {
    expect(tallyOfPlaywright({ stats: { expected: 0, unexpected: 0 } }, 1)).toEqual({ passed: 0, failed: 1 })
    expect(tallyOfPlaywright(null, 1)).toEqual({ passed: 0, failed: 1 })
  })
})

test('checks count one each, and the closing line is the sum', () => {
  const total = sum([tallyOfCheck(0), tallyOfCheck(2), tallyOfCheck(null), { passed: 10, failed: 0 }])
  expect(tallyLine(total)).toBe('11 passed, 2 failed')
})
