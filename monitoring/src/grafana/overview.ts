// The three promises, what burns them, and whether it runs.
import { SLOS } from '../slo.ts'
import type { Board, Limit, Panel } from './panel.ts'
import { quantiles, rate, warnAt } from './queries.ts'

/** Consumed, in the bands that the policy names. */
const BANDS: Limit[] = [
  { from: 0.5, colour: 'yellow' },
  { from: 0.8, colour: 'red' },
  { from: 1, colour: 'black' },
]

const budgets: Panel[] = SLOS.flatMap(({ name, title }): Panel[] => [
  {
    ...{ title: `Budget consumed: ${name}`, help: `${title}, over thirty days.`, kind: 'number', unit: 'percentunit' },
    queries: [{ expr: `1 - slo:budget_remaining:ratio{slo="${name}"}` }],
    limits: BANDS,
    width: 4,
  },
  {
    ...{ title: `Time left: ${name}`, help: 'Below zero the promise is broken.', kind: 'number', unit: 's' },
    queries: [{ expr: `slo:budget_remaining:seconds{slo="${name}"}` }],
    width: 4,
  },
])

export const overview: Board = {
  uid: 'signal-feed-overview',
  title: 'Signal Feed: overview',
  about: 'The three promises, what burns them, and whether it runs.',
  rows: [
    { title: 'Promises over thirty days', panels: budgets },
    {
      title: 'How fast the budgets go',
      panels: [
        {
          title: 'Burn rate over an hour',
          unit: 'none',
          queries: [{ expr: 'slo:burn_rate:1h', legend: '{{slo}}' }],
          limits: [...warnAt(6), { from: 14.4, colour: 'red' }],
        },
        {
          title: 'Burn rate over three days',
          unit: 'none',
          queries: [{ expr: 'slo:burn_rate:3d', legend: '{{slo}}' }],
          limits: warnAt(1),
        },
        {
          title: 'Error ratio by window',
          unit: 'percentunit',
          width: 24,
          queries: [
            { expr: 'slo:error_ratio:5m', legend: '{{slo}} 5m' },
            { expr: 'slo:error_ratio:30m', legend: '{{slo}} 30m' },
            { expr: 'slo:error_ratio:2h', legend: '{{slo}} 2h' },
            { expr: 'slo:error_ratio:1d', legend: '{{slo}} 1d' },
          ],
        },
      ],
    },
    {
      title: 'Does it run',
      panels: [
        {
          title: 'Firing alerts',
          kind: 'number',
          unit: 'none',
          queries: [{ expr: 'sum(ALERTS{alertstate="firing",severity!="none"}) or vector(0)' }],
          limits: warnAt(1, 'red'),
        },
        {
          title: 'Targets down',
          kind: 'number',
          unit: 'none',
          queries: [{ expr: 'count(up == 0) or vector(0)' }],
          limits: warnAt(1, 'red'),
        },
        { title: 'Live connections', kind: 'number', unit: 'none', queries: [{ expr: 'sum(sse_connections_active)' }] },
        {
          title: 'Published a second',
          kind: 'number',
          unit: 'reqps',
          queries: [{ expr: rate('activities_published_total') }],
        },
        {
          title: 'Canary: publish to receipt',
          unit: 's',
          queries: quantiles('canary_latency_seconds'),
          limits: warnAt(0.5),
        },
        {
          title: 'Canary failures',
          unit: 'none',
          queries: [{ expr: 'sum by (stage) (increase(canary_failures_total[5m]))', legend: '{{stage}}' }],
        },
        {
          title: 'Age of the last canary that came through',
          unit: 's',
          queries: [{ expr: 'max(time() - canary_last_success_timestamp_seconds)', legend: 'oldest' }],
          limits: warnAt(120, 'red'),
        },
        { title: 'Canary runs', unit: 'reqps', queries: [{ expr: rate('canary_runs_total'), legend: 'runs' }] },
      ],
    },
  ],
}
