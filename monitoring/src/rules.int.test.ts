// The rules, judged by Prometheus' own tool: each alert fires where it must and stays silent where it must, and so do wrong
// versions of it not. Hundreds of small files go to one run of promtool for each half of them.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPromtool } from '#scripts/testing/programs.ts'
import { ALERTS } from './alerts/all.ts'
import { mutantsOf, recordingMutants } from './mutants.ts'
import { BACKLOG_TEST, recordingTestFiles, recordingTests } from './recording-tests.ts'
import { alertFiles } from './rule-tests.ts'
import { BACKLOG, rulesOf, SLOS, WINDOW_NAMES, type Window } from './slo.ts'

type Judged = { what: string; mustPass: boolean; files: (rulePath: string) => { rule: string; test: string } }

const alerts: Judged[] = ALERTS.flatMap((alert) => [
  { what: alert.name, mustPass: true, files: (path: string) => alertFiles(alert, alert, path) },
  ...mutantsOf(alert).map(({ what, rule }) => ({
    ...{ what: `${alert.name}: ${what}`, mustPass: false },
    files: (path: string) => alertFiles(alert, rule, path),
  })),
])

/** The formulas are the same for every window: wrong versions of three are enough. */
const MUTATED: Window[] = ['5m', '1h', '30d']
const recorded: Judged[] = SLOS.flatMap((slo) =>
  WINDOW_NAMES.flatMap((window) => {
    const rules = rulesOf(slo, window)
    const tests = recordingTests(slo, window)
    const mutants = rules.flatMap((rule, at) =>
      recordingMutants(rule).map((mutant) => ({
        what: `${rule.record}: ${mutant.what}`,
        rules: rules.with(at, mutant.rule),
      })),
    )
    return [
      {
        what: `${slo.name} over ${window}`,
        mustPass: true,
        files: (path: string) => recordingTestFiles(rules, tests, path),
      },
      ...(MUTATED.includes(window) ? mutants : []).map((mutant) => ({
        ...{ what: `${slo.name} over ${window}, ${mutant.what}`, mustPass: false },
        files: (path: string) => recordingTestFiles(mutant.rules, tests, path),
      })),
    ]
  }),
)
const backlog: Judged[] = [
  { what: 'backlog', mustPass: true, files: (path) => recordingTestFiles([BACKLOG], [BACKLOG_TEST], path) },
  ...recordingMutants(BACKLOG).map(({ what, rule }) => ({
    ...{ what: `backlog: ${what}`, mustPass: false },
    files: (path: string) => recordingTestFiles([rule], [BACKLOG_TEST], path),
  })),
]

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sf-rules-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What promtool says about each, in order. */
async function judge(all: Judged[]): Promise<string[]> {
  const half = Math.ceil(all.length / 2)
  const halves = await Promise.all(
    [all.slice(0, half), all.slice(half)].map(async (part, which) => {
      const names = await Promise.all(
        part.map(async ({ files }, at) => {
          const name = `${which}-${at}`
          const { rule, test: cases } = files(`${name}.rules.yml`)
          await writeFile(join(folder, `${name}.rules.yml`), rule)
          await writeFile(join(folder, `${name}.yml`), cases)
          return join(folder, `${name}.yml`)
        }),
      )
      return names.length === 0 ? [] : promtool(names)
    }),
  )
  return halves.flat()
}

function promtool(files: string[]): Promise<string[]> {
  return new Promise((resolve) => {
    // Many short-lived databases: collecting less often is twice as fast.
    const options = { env: { ...process.env, GOGC: '400' }, maxBuffer: 1 << 28 }
    execFile(findPromtool(), ['test', 'rules', ...files], options, (_, said, complaints) => {
      const parts = said.split('Unit Testing:').slice(1)
      resolve(parts.length === files.length ? parts : files.map(() => `${said}\n${complaints}`))
    })
  })
}

describe.each([
  ['[MON-3] alerts', alerts],
  ['[MON-2] promises', [...recorded, ...backlog]],
])('[MON-4] %s', (_, all) => {
  test('fire and stay silent where they must, and no wrong version passes', async () => {
    const answers = await judge(all)
    const passed = answers.map((text) => text.includes('SUCCESS'))
    const failing = all.filter(({ mustPass }, at) => mustPass && !passed[at]).map(({ what }) => what)
    const surviving = all.filter(({ mustPass }, at) => !mustPass && passed[at]).map(({ what }) => what)
    expect({
      failing,
      surviving,
      why: failing.length > 0 ? answers[all.findIndex(({ what }) => what === failing[0])] : '',
    }).toEqual({
      ...{ failing: [], surviving: [], why: '' },
    })
    expect(all.filter(({ mustPass }) => !mustPass).length).toBeGreaterThan(
      all.filter(({ mustPass }) => mustPass).length,
    )
  })
})

test('[MON-4] every alert has a case of each kind, except the one that is always on', () => {
  for (const { name, fires, silent } of ALERTS) {
    expect(fires.length, name).toBeGreaterThan(0)
    expect(silent.length > 0 || name === 'Watchdog', name).toBe(true)
  }
})
