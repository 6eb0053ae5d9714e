// What an operator should look at now, worst first, told from the same figures and by the same limits as the alerts. Alerts
// wait for minutes before they call somebody; whoever looks at the console wants to know at once.
import { opsTexts } from '../texts/ops.ts'
import type { Tone } from './charts/spark.tsx'
import { growth, growthPerMinute } from './numbers.ts'
import { RUNBOOKS, type RunbookName } from './runbook-names.ts'
import type { Picture, Trends } from './use-picture.ts'

export const LIMITS = {
  pending: 10_000,
  oldestMs: 3_600_000,
  growingPerMinute: 100,
  lag: 5_000,
  relayMs: 30_000,
  memoryShare: 0.8,
} as const

export type Sign = { tone: 'warn' | 'bad'; runbook: RunbookName }

export function signsOf(picture: Picture, trends: Trends | undefined): Sign[] {
  const { group, outbox, beat, memory } = picture
  const found: Sign[] = []
  const sign = (is: boolean, runbook: RunbookName, tone: Sign['tone'] = 'warn') => {
    if (is) found.push({ tone, runbook })
  }
  sign(beat.ageMs === null || beat.ageMs > beat.lateMs, RUNBOOKS.beat, 'bad')
  sign((outbox?.oldestMs ?? 0) > LIMITS.relayMs, RUNBOOKS.relay, 'bad')
  sign((group?.oldestPendingMs ?? 0) > LIMITS.oldestMs, RUNBOOKS.oldest, 'bad')
  sign((group?.pending ?? 0) > LIMITS.pending, RUNBOOKS.pending)
  sign((group?.lag ?? 0) > LIMITS.lag, RUNBOOKS.lag)
  sign(memory !== null && memory.max > 0 && memory.used / memory.max > LIMITS.memoryShare, RUNBOOKS.memory)
  if (trends) {
    const pending = growthPerMinute(trends.gauges.pending, trends.stepMs) ?? 0
    sign(pending > LIMITS.growingPerMinute, RUNBOOKS.growing)
    sign(growth(trends.gauges.dead) > 0, RUNBOOKS.dead)
  }
  return found.sort((a, b) => rank(a.tone) - rank(b.tone))
}

const rank = (tone: Tone): number => (tone === 'bad' ? 0 : 1)

/** The tone of a number: that of the worst sign which belongs to it. */
export function toneOf(signs: readonly Sign[], ...runbooks: RunbookName[]): Tone {
  return signs.find(({ runbook }) => runbooks.includes(runbook))?.tone ?? 'ok'
}

export const signText = (signs: readonly Sign[]): string =>
  signs[0] ? opsTexts.signs(signs.length, signs[0].runbook) : opsTexts.quiet
