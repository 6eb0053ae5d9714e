// The fast part of the tests: what `npm run check` does, and what `npm test` begins with.
import { checkStep, type Step, vitestStep } from './run-step.ts'

export const FAST_STEPS: Step[] = [
  checkStep('types', 'tsc', '--noEmit'),
  checkStep('types of the edge', 'tsc', '--noEmit', '-p', 'edge'),
  checkStep('format and lint', 'biome', 'check', '--error-on-warnings', '.'),
  checkStep('import directions', process.execPath, 'scripts/check-imports.ts'),
  checkStep('documents', process.execPath, 'scripts/check-docs.ts'),
  vitestStep('unit'),
]
