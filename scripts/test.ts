// `npm test`: everything, on real servers and in a real browser. Closes with one line `N passed, N failed`.
import { progress } from './progress.ts'
import { FAST_STEPS } from './steps/fast-steps.ts'
import { playwrightStep, runSteps, type Step, stopChildrenOnSignals, vitestStep } from './steps/run-step.ts'
import { sum, tallyLine } from './steps/tally.ts'
import { ensurePrograms } from './testing/programs.ts'

/** What is missing fails as one test each; the steps that need it would only repeat that at length. */
const programsStep: Step = {
  title: 'programs that the tests need',
  run: async () => {
    const missing = await ensurePrograms(['redis', 'postgres', 'chromium', 'monitoring'], progress)
    for (const line of missing) console.error(line)
    return { passed: missing.length === 0 ? 1 : 0, failed: missing.length }
  },
}

stopChildrenOnSignals()
const total = sum(
  await runSteps([programsStep, ...FAST_STEPS, vitestStep('integration'), vitestStep('edge'), playwrightStep()]),
)
console.log(`\n${tallyLine(total)}`)
process.exitCode = total.failed === 0 ? 0 : 1
