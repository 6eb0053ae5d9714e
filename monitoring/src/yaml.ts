// The few shapes of YAML that our generated files need: maps, lists, numbers, quoted strings, and blocks for what has
// several lines. Strings are quoted as JSON, which YAML understands.

export type Yaml = string | number | boolean | null | Yaml[] | { [key: string]: Yaml | undefined }

export function toYaml(value: Yaml, comment: string): string {
  return `${comment
    .split('\n')
    .map((line) => `# ${line}`)
    .join('\n')}\n${lines(value).join('\n')}\n`
}

function lines(value: Yaml): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : value.flatMap(item)
  if (value === null || typeof value !== 'object') return [scalar(value)]
  const entries = Object.entries(value).filter((entry): entry is [string, Yaml] => entry[1] !== undefined)
  return entries.length === 0 ? ['{}'] : entries.flatMap(([key, inner]) => entry(key, inner))
}

function item(value: Yaml): string[] {
  const [first, ...rest] = lines(value)
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)]
}

function entry(key: string, value: Yaml): string[] {
  const name = /^[\w./-]+$/.test(key) ? key : JSON.stringify(key)
  if (typeof value === 'string' && value.includes('\n'))
    return [`${name}: |-`, ...value.split('\n').map((line) => `  ${line}`)]
  const inner = lines(value)
  const isNested = value !== null && typeof value === 'object' && inner[0] !== '[]' && inner[0] !== '{}'
  return isNested ? [`${name}:`, ...inner.map((line) => `  ${line}`)] : [`${name}: ${inner[0]}`]
}

/** Durations and plain words stay as they are; whatever YAML could take for something else is quoted. */
function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value)
  if (/^[A-Za-z][\w./-]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)) return value
  return /^\d+(ms|s|m|h|d)$/.test(value) ? value : JSON.stringify(value)
}
