// `npm run e2e`: the browser part of the tests; further arguments go to Playwright.
import { playwrightStep, runSteps, stopChildrenOnSignals } from './steps/run-step.ts'
import { sum, tallyLine } from './steps/tally.ts'

stopChildrenOnSignals()
const total = sum(await runSteps([playwrightStep(process.argv.slice(2))]))
console.log(`\n${tallyLine(total)}`)
process.exitCode = total.failed === 0 ? 0 : 1
