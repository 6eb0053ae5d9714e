// `npm run check`: types, format, lint, import directions, documents and unit tests, in less than a minute.
import { FAST_STEPS } from './steps/fast-steps.ts'
import { runSteps, stopChildrenOnSignals } from './steps/run-step.ts'
import { sum, tallyLine } from './steps/tally.ts'

stopChildrenOnSignals()
const total = sum(await runSteps(FAST_STEPS))
console.log(`\n${tallyLine(total)}`)
process.exitCode = total.failed === 0 ? 0 : 1
