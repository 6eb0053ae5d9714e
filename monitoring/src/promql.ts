// Which metrics an expression asks for. Not a parser: strings, label lists and durations are taken out, and what is left
// and is neither a function nor a word of the language is a metric.

const WORDS = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'bool',
  'offset',
])

export function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
  const found = bare.matchAll(/(?<![\w:.])([A-Za-z_:][\w:]*)(\s*\()?/g)
  const names = [...found].filter(([, name, call]) => !call && !WORDS.has(name!) && !/^(inf|nan)$/i.test(name!))
  return [...new Set(names.map(([, name]) => name!))]
}

/** The family that a series belongs to: a histogram's buckets, sum and count are one. */
export const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '')
