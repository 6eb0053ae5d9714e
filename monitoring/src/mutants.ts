// Wrong versions of a rule: whatever of these no test notices, nobody would notice in a review either.
import type { Alert } from './alert.ts'
import type { RecordingRule } from './slo.ts'

export type Mutant<T> = { what: string; rule: T }

const FLIPPED: Record<string, string> = { '>': '<', '<': '>', '>=': '<', '<=': '>', '==': '!=' }
/** A comparison with a number, not with `bool`, which answers and does not filter. */
const COMPARISON = /(>=|<=|==|>|<) (\d+(?:\.\d+)?)(?!\d)/g

type Parts = Pick<Alert, 'when' | 'unless'>

function changedText(text: string): { what: string; text: string }[] {
  const found: { what: string; text: string }[] = []
  for (const match of text.matchAll(COMPARISON)) {
    const [whole, operator, number] = match as unknown as [string, string, string]
    const put = (replacement: string) =>
      text.slice(0, match.index) + replacement + text.slice(match.index + whole.length)
    found.push({ what: `${whole} becomes ${FLIPPED[operator]} ${number}`, text: put(`${FLIPPED[operator]} ${number}`) })
    // Guards against nothing at all (> 0) have no other size.
    if (Number(number) === 0 || operator === '==') continue
    for (const times of [0.5, 2]) {
      const value = Number(number) * times
      // Half an event is none, and a share beyond one is out of reach: such limits are the same rule or no rule.
      found.push({ what: `${whole} becomes ${operator} ${value}`, text: put(`${operator} ${value}`) })
    }
  }
  return found
}

function changedParts({ when, unless = [] }: Parts): { what: string; parts: Parts }[] {
  const parts = [
    ...when.map((text) => ({ text, of: 'when' as const })),
    ...unless.map((text) => ({ text, of: 'unless' as const })),
  ]
  const rebuilt = (changed: { text: string; of: 'when' | 'unless' }[]): Parts => ({
    when: changed.filter(({ of }) => of === 'when').map(({ text }) => text),
    unless: changed.filter(({ of }) => of === 'unless').map(({ text }) => text),
  })
  return parts.flatMap(({ text, of }, at) => [
    ...changedText(text).map((change) => ({
      what: change.what,
      parts: rebuilt(parts.with(at, { text: change.text, of })),
    })),
    ...(parts.length > 1 && (of === 'unless' || when.length > 1)
      ? [{ what: `without ${text}`, parts: rebuilt(parts.toSpliced(at, 1)) }]
      : []),
    ...text
      .split(' or ')
      .map((_, gone, terms) => terms.toSpliced(gone, 1).join(' or '))
      .filter((rest) => rest !== '')
      .map((rest) => ({ what: `only ${rest}`, parts: rebuilt(parts.with(at, { text: rest, of })) })),
  ])
}

/** Growth of a gauge taken for a counter's, one for all and all for one. */
const OTHERS: [RegExp, string][] = [
  [/\bderiv\(/g, 'rate('],
  [/\bmax\(/g, 'sum('],
  [/\bsum\(/g, 'max('],
  [/\bmin\(/g, 'max('],
]

export function mutantsOf(alert: Alert): Mutant<Alert>[] {
  return [
    ...changedParts(alert).map(({ what, parts }) => ({ what, rule: { ...alert, ...parts } })),
    ...(alert.for === '0m' ? [] : [{ what: 'without waiting', rule: { ...alert, for: '0m' } }]),
    ...OTHERS.flatMap(([pattern, replacement]) => [
      ...alert.when.flatMap((part, at) => {
        const changed = part.replace(pattern, replacement)
        const what = `${replacement} in ${part}`
        // A guard of volume counts over everything, which is the same for one series.
        return changed === part || at > 0 ? [] : [{ what, rule: { ...alert, when: alert.when.with(at, changed) } }]
      }),
      ...(alert.unless ?? []).flatMap((part, at) => {
        const changed = part.replace(pattern, replacement)
        if (changed === part) return []
        return [{ what: `${replacement} in ${part}`, rule: { ...alert, unless: alert.unless!.with(at, changed) } }]
      }),
    ]),
  ]
}

/** Budgets and ratios: remaining for consumed, another budget, no guard. */
export function recordingMutants(rule: RecordingRule): Mutant<RecordingRule>[] {
  const changes: [string, string][] = []
  if (rule.expr.startsWith('1 - ')) changes.push(['consumed for remaining', rule.expr.slice(4)])
  const division = / \/ (0\.\d+)/.exec(rule.expr)
  if (division)
    changes.push(['a budget twice as large', rule.expr.replace(division[0], ` / ${Number(division[1]) * 2}`)])
  const guard = rule.expr.indexOf(' and ')
  if (guard > 0) changes.push(['no guard', rule.expr.slice(0, guard)])
  if (rule.expr.includes(' > 0)')) changes.push(['idle divides by zero', rule.expr.replace(' > 0)', ')')])
  if (rule.expr.includes('< bool')) changes.push(['flipped', rule.expr.replace('< bool', '> bool')])
  if (rule.expr.includes(') * (')) changes.push(['only one of both', rule.expr.slice(rule.expr.indexOf(') * (') + 4)])
  if (rule.expr.includes('le="0.5"')) changes.push(['another goal', rule.expr.replace('le="0.5"', 'le="1"')])
  if (/seconds$/.test(rule.record)) changes.push(['another period', rule.expr.replace(/\* (\d+)/, '* 1')])
  if (rule.expr.includes(' + ')) changes.push(['a term less', rule.expr.slice(0, rule.expr.indexOf(' + '))])
  return changes.map(([what, expr]) => ({ what, rule: { ...rule, expr } }))
}
