// Random schedules of faults against the delivery path, as many as asked for. `--seeds N` runs N from `--from` (1),
// `--seed S` runs one again, `--verbose` shows what the processes say.
import { parseArgs } from 'node:util'
import { progress } from '#scripts/progress.ts'
import { openBenchBackends } from './backends.ts'
import { planOf, printPlan } from './chaos/plan.ts'
import { openSimulator, SeedFailed, type SeedReport } from './chaos/simulate.ts'

export const summary = 'random crashes, pauses, wiped and full Redis against delivery; --seeds N, --seed S'

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: '20' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  })
  const first = Number(values.seed ?? values.from)
  const count = values.seed === undefined ? Number(values.seeds) : 1
  if (!Number.isInteger(first) || !Number.isInteger(count) || count < 1)
    throw new Error('--seeds, --from and --seed are whole numbers.')
  const backends = await openBenchBackends()
  const simulator = await openSimulator({ ...backends, verbose: values.verbose })
  const reports: SeedReport[] = []
  const failures: string[] = []
  try {
    for (let seed = first; seed < first + count; seed++) {
      if (values.seed !== undefined) progress(`\n${printPlan(planOf(seed))}`)
      try {
        reports.push(await simulator.run(planOf(seed)))
      } catch (error) {
        if (!(error instanceof SeedFailed)) throw error
        progress(error.message)
        failures.push(error.message)
      }
      if (seed % 10 === 0) progress(`seed ${seed}: ${reports.length} passed, ${failures.length} failed`)
    }
  } finally {
    await simulator.stop()
    await backends.stop()
  }
  if (failures.length > 0) process.exitCode = 1
  const sum = (of: (report: SeedReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  return {
    seeds: count,
    passed: reports.length,
    failed: failures,
    events: sum(({ events }) => events),
    poison: sum(({ poison }) => poison),
    hookRepeats: sum(({ hookRepeats }) => hookRepeats),
    slowestSeedMs: Math.max(0, ...reports.map(({ ms }) => ms)),
    seconds: Math.round(sum(({ ms }) => ms) / 1_000),
  }
}
