// Cases as test files of promtool. What is asked is whether the alert fires at all: who reads it is another question, and
// comparing every word of its annotations would only copy them.
import { type Alert, type AlertGroup, type Case, expressionOf } from './alert.ts'
import { alertRule } from './rules.ts'
import { toYaml, type Yaml } from './yaml.ts'

const EVERY = '30s'
const firing = (name: string) => `count(ALERTS{alertname="${name}",alertstate="firing"}) > bool 0 or vector(0)`

const seriesOf = (series: Record<string, string>): Yaml =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }))

function asked(alert: Alert, { why, series, at, every = EVERY }: Case, fires: boolean): Yaml {
  const question = (when: string, value: number): Yaml => ({
    expr: firing(alert.name),
    eval_time: when,
    exp_samples: [{ labels: '{}', value }],
  })
  const early = fires ? justBefore(alert.for) : null
  return {
    name: `${alert.name} ${fires ? 'fires' : 'stays silent'}: ${why}`,
    interval: every,
    input_series: seriesOf(series),
    promql_expr_test: [
      question(at, fires ? 1 : 0),
      // Before it has held for as long as it must, nobody is called.
      ...(early === null ? [] : [question(early, 0)]),
    ],
  }
}

export const seconds = (duration: string): number =>
  Number.parseInt(duration, 10) * ({ s: 1, m: 60, h: 3_600, d: 86_400 }[duration.at(-1)!] ?? 1)

const justBefore = (duration: string): string | null => (seconds(duration) < 60 ? null : `${seconds(duration) - 30}s`)

export const testsOf = (alert: Alert): Yaml[] => [
  ...alert.fires.map((one) => asked(alert, one, true)),
  ...alert.silent.map((one) => asked(alert, one, false)),
]

const testFile = (ruleFiles: string[], tests: Yaml[], comment: string): string =>
  toYaml({ rule_files: ruleFiles, evaluation_interval: EVERY, tests }, comment)

/** The committed tests of one group; recorded series are given to them as they are. */
export const groupTests = ({ alerts }: AlertGroup, alertsPath: string, comment: string): string =>
  testFile([alertsPath], alerts.flatMap(testsOf), comment)

/** One version of an alert, right or wrong, with the tests of the alert. */
export function alertFiles(alert: Alert, version: Alert, rulePath: string): { rule: string; test: string } {
  const comment = expressionOf(version)
  return {
    rule: toYaml({ groups: [{ name: 'judged', rules: [alertRule(version)] }] }, comment),
    test: testFile([rulePath], testsOf(alert), comment),
  }
}
