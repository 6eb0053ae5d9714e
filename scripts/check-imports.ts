// Fails when a file imports something that its room must not know, or when imports form a cycle.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeImports } from './imports/judge-imports.ts'
import { ROOT, repositoryFiles } from './repository-files.ts'

const ours = repositoryFiles().filter((path) => /\.tsx?$/.test(path) && path.includes('/') && !path.endsWith('.d.ts'))
const problems = judgeImports(new Map(ours.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])))
for (const problem of problems) console.error(problem)
console.log(`${ours.length} files, ${problems.length} problems with imports`)
process.exitCode = problems.length === 0 ? 0 : 1
