// The budgets burn: multi-window, multi-burn-rate. The long window says that it matters, the short one that it is still so.
import { type Alert, type AlertGroup, steady } from '../alert.ts'
import type { Window } from '../slo.ts'

type Burn = {
  name: string
  rate: number
  long: Window
  short: Window
  for: string
  severity: 'critical' | 'warning'
  words: string
}

const BURNS: Burn[] = [
  {
    name: 'ErrorBudgetBurnFast',
    rate: 14.4,
    long: '1h',
    short: '5m',
    for: '2m',
    severity: 'critical',
    words: 'two days',
  },
  { name: 'ErrorBudgetBurn', rate: 6, long: '6h', short: '30m', for: '5m', severity: 'critical', words: 'five days' },
  { name: 'ErrorBudgetBurnSlow', rate: 3, long: '1d', short: '2h', for: '15m', severity: 'warning', words: 'ten days' },
  {
    name: 'ErrorBudgetBurnLasting',
    rate: 1,
    long: '3d',
    short: '6h',
    for: '30m',
    severity: 'warning',
    words: 'the thirty days',
  },
]

const toAlert = ({ name, rate, long, short, words, ...rest }: Burn): Alert => {
  const both = (over: number, overShort: number, slo = 'delivery_success') => ({
    [`slo:burn_rate:${long}{slo="${slo}"}`]: steady(over * rate),
    [`slo:burn_rate:${short}{slo="${slo}"}`]: steady(overShort * rate),
  })
  return {
    name,
    when: [`slo:burn_rate:${long} > ${rate}`, `slo:burn_rate:${short} > ${rate}`],
    matchedBy: 'slo',
    ...rest,
    sli: '{{ $labels.slo }}',
    summary: 'The error budget of {{ $labels.slo }} burns {{ $value | printf "%.1f" }} times too fast',
    description: `At this rate the budget of thirty days is gone within ${words}.`,
    fires: [
      { why: 'both windows burn', series: both(1.3, 1.3), at: '40m' },
      { why: 'both windows burn, of another promise', series: both(1.3, 1.3, 'pel_health'), at: '40m' },
    ],
    silent: [
      { why: 'it is over: the short window is calm', series: both(1.5, 0.7), at: '40m' },
      { why: 'it has only begun: the long window is calm', series: both(0.7, 1.5), at: '40m' },
      {
        why: 'each window burns, but of different promises',
        series: { ...both(1.5, 0.7), ...both(0.7, 1.5, 'pel_health') },
        at: '40m',
      },
    ],
  }
}

export const budgetAlerts: AlertGroup = { name: 'error_budgets', alerts: BURNS.map(toAlert) }
