// Fails when docs/requirements.md calls something done that no test names, or when a document names a missing path.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isTestFile, judgePaths, judgeRequirements } from './docs/judge-docs.ts'
import { ROOT, repositoryFiles } from './repository-files.ts'

const REQUIREMENTS = 'docs/requirements.md'

const files = repositoryFiles()
const texts = (paths: string[]) => new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))

const documents = files.filter((path) => path === 'README.md' || (path.startsWith('docs/') && path.endsWith('.md')))
const top = new Set(files.map((path) => path.split('/')[0]!))
const requirements = existsSync(join(ROOT, REQUIREMENTS))
  ? judgeRequirements(readFileSync(join(ROOT, REQUIREMENTS), 'utf8'), texts(files.filter(isTestFile)))
  : [`${REQUIREMENTS} is missing`]
const problems = [...requirements, ...judgePaths(texts(documents), files, top)]
for (const problem of problems) console.error(problem)
console.log(`${documents.length} documents, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
