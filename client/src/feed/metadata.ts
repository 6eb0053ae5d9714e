// What sources put beside an activity, read with suspicion: anything that does not have the shape we know is left out.
import { safeUrl } from './rich-text.ts'

type Metadata = Record<string, unknown>

export function numberIn(metadata: Metadata, ...names: string[]): number | null {
  for (const name of names) {
    const value = metadata[name]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  }
  return null
}

export function textIn(metadata: Metadata, ...names: string[]): string | null {
  for (const name of names) {
    const value = metadata[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return null
}

export type Commit = { id: string; title: string; url: string | null }

const COMMITS_MAX = 20

export function commitsIn(metadata: Metadata): Commit[] {
  const { commits } = metadata
  const list = Array.isArray(commits) ? commits : []
  return list.slice(0, COMMITS_MAX).flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const commit = entry as Metadata
    const id = textIn(commit, 'id', 'sha')
    const title = textIn(commit, 'title', 'message')
    if (id === null || title === null) return []
    return [{ id: id.slice(0, 7), title: title.split('\n')[0]!, url: safeUrl(textIn(commit, 'url') ?? undefined) }]
  })
}

export type Failure = { failed: number | null; total: number | null; test: string | null; url: string | null }

/** A failed run: how many of how many, and the first one by name. */
export function failureIn(verb: string, metadata: Metadata): Failure | null {
  if (verb !== 'failed') return null
  const failed = numberIn(metadata, 'failed')
  const total = numberIn(metadata, 'total')
  const test = textIn(metadata, 'test', 'error', 'reason')
  if (failed === null && test === null) return null
  return { failed, total, test, url: safeUrl(textIn(metadata, 'logUrl', 'url') ?? undefined) }
}

export type Figures = {
  added: number | null
  removed: number | null
  passed: number | null
  checks: number | null
  tests: number | null
}

export function figuresIn(verb: string, metadata: Metadata): Figures | null {
  const checks = numberIn(metadata, 'checks')
  const figures: Figures = {
    added: numberIn(metadata, 'added', 'additions'),
    removed: numberIn(metadata, 'removed', 'deletions'),
    passed: checks === null ? null : (numberIn(metadata, 'checksPassed') ?? checks),
    checks,
    tests: verb === 'passed' ? numberIn(metadata, 'total', 'tests') : null,
  }
  return Object.values(figures).every((figure) => figure === null) ? null : figures
}
