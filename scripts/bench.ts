// `npm run bench` lists the benchmarks, `npm run bench -- <name> …` runs one. Each is bench/<name>.bench.ts and exports
// `summary` (one line) and `run(args)`; what `run` returns goes to stdout as JSON, and nothing else does.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './repository-files.ts'

type Benchmark = { summary: string; run: (args: string[]) => Promise<unknown> }

const FOLDER = join(ROOT, 'bench')
const ENDING = '.bench.ts'

const load = (name: string): Promise<Benchmark> => import(pathToFileURL(join(FOLDER, `${name}${ENDING}`)).href)

const names = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .toSorted()
  : []
const [name, ...args] = process.argv.slice(2)

if (name === undefined) {
  for (const entry of names) console.log(`${entry.padEnd(20)} ${(await load(entry)).summary}`)
} else if (names.includes(name)) {
  const { run } = await load(name)
  // Whatever a library prints while it runs goes to stderr, so that the output can be piped on.
  console.log = console.error
  console.info = console.error
  const result = await run(args)
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
} else {
  console.error(`There is no benchmark "${name}". There are: ${names.join(', ') || 'none yet'}.`)
  process.exitCode = 1
}
