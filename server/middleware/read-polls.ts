// Finds polls in the address of a tRPC request as tRPC itself will read it: names separated by commas after decoding,
// one input, or one per call in a batch.

/** A feed call with `since`, in any form that could make tRPC answer it. */
export function readPolls(url: string): { calls: number; polls: number } {
  const parsed = new URL(url, 'http://localhost')
  // tRPC looks at the last part of the path only.
  const calls = decode(parsed.pathname.slice(parsed.pathname.lastIndexOf('/') + 1)).split(',')
  const input = readJson(parsed.searchParams.get('input'))
  const batch = parsed.searchParams.get('batch') === '1'
  const polls = calls.filter((call, index) => {
    if (call !== 'activities.getFeed') return false
    return hasSince(batch ? at(input, String(index)) : input)
  }).length
  return { calls: calls.length, polls }
}

const hasSince = (input: unknown): boolean => at(input, 'since') !== undefined

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // tRPC will refuse it.
    return path
  }
}

function readJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    // tRPC will refuse it.
    return undefined
  }
}
