// Decides whether the documents tell the truth: a requirement called done has a test that names it, and a path in
// backticks exists. Takes texts and lists, gives back one line for each untruth.

/** Paths from the root of the repository, with their texts. */
export type Texts = ReadonlyMap<string, string>

export type Requirement = { id: string; state: 'done' | 'partly' | 'not yet' }

const ROW = /^\|\s*([A-Z][A-Z0-9]*-\d+[a-z]?)\s*\|(.*)\|\s*([^|]*?)\s*\|\s*$/

/** The rows of `| id | in our words | state |`, and a line for each row whose state is none that we know. */
export function readRequirements(page: string): { requirements: Requirement[]; problems: string[] } {
  const requirements: Requirement[] = []
  const problems: string[] = []
  for (const line of page.split('\n')) {
    const [, id, , state = ''] = ROW.exec(line) ?? []
    if (id === undefined) continue
    if (requirements.some((requirement) => requirement.id === id)) problems.push(`${id} is listed twice`)
    if (state === 'done' || state === 'not yet') requirements.push({ id, state })
    else if (/^partly: \S/.test(state)) requirements.push({ id, state: 'partly' })
    else problems.push(`${id} has the state "${state}": write done, partly: what is missing, or not yet`)
  }
  return { requirements, problems }
}

export const isTestFile = (path: string): boolean =>
  /\.test\.tsx?$/.test(path) || path.endsWith('.contract.ts') || /^e2e\/.*\.spec\.ts$/.test(path)

export function judgeRequirements(page: string, tests: Texts): string[] {
  const { requirements, problems } = readRequirements(page)
  const named = new Set<string>()
  for (const source of tests.values()) {
    for (const match of source.matchAll(/\[([A-Z][A-Z0-9]*-\d+[a-z]?)\]/g)) named.add(match[1]!)
  }
  const untested = requirements
    .filter(({ id, state }) => state === 'done' && !named.has(id))
    .map(({ id }) => `${id} is called done, but no test title has [${id}]`)
  return [...problems, ...untested]
}

/** `top` are the names at the root of the repository: text in backticks that starts with one of them is a path. */
export function judgePaths(documents: Texts, files: readonly string[], top: ReadonlySet<string>): string[] {
  const known = new Set(files.flatMap(withFolders))
  const problems: string[] = []
  for (const [document, text] of documents) {
    for (const path of namedPaths(text, top)) {
      if (!known.has(path)) problems.push(`${document} names ${path}, which does not exist`)
    }
  }
  return problems
}

function namedPaths(text: string, top: ReadonlySet<string>): string[] {
  const outsideBlocks = text.replace(/^```[\s\S]*?^```/gm, '')
  const quoted = [...outsideBlocks.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!)
  return (
    quoted
      // Places to fill in, patterns and commands are not paths.
      .filter((name) => /^[\w.@-]+(\/[\w.@-]+)*\/?$/.test(name) && name.includes('/'))
      .filter((name) => top.has(name.split('/')[0]!))
      .map((name) => name.replace(/\/$/, ''))
  )
}

function withFolders(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
