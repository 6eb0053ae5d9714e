// Runs one step of the tests as a child process, shows its output as it comes, and counts what it reports.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ROOT } from '../repository-files.ts'
import { type Tally, tallyOfCheck, tallyOfPlaywright, tallyOfVitest } from './tally.ts'

export type Step = { title: string; run: (scratch: string) => Promise<Tally> }

export const checkStep = (title: string, command: string, ...args: string[]): Step => ({
  title,
  run: async () => tallyOfCheck(await runChild(command, args)),
})

export const vitestStep = (project: string): Step => ({
  title: `tests: ${project}`,
  run: async (scratch) => {
    const file = join(scratch, `${project}.json`)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const code = await runChild('vitest', ['run', '--project', project, ...reporters])
    return tallyOfVitest(readJson(file), code)
  },
})

export const playwrightStep = (extraArgs: string[] = []): Step => ({
  title: 'tests: browser',
  run: async (scratch) => {
    const file = join(scratch, 'browser.json')
    const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: file }
    const code = await runChild('playwright', ['test', '--pass-with-no-tests', ...extraArgs], env)
    return tallyOfPlaywright(readJson(file), code)
  },
})

/** One after the other: two cores are busy enough with one. */
export async function runSteps(steps: Step[]): Promise<Tally[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'sf-test-'))
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
  const tallies: Tally[] = []
  for (const { title, run } of steps) {
    console.log(`\n── ${title}`)
    tallies.push(await run(scratch))
  }
  return tallies
}

const running = new Set<ChildProcess>()
let stopping = false

/** A stopped run takes its children along: each is a group of its own, so that its own children get the signal too. */
export function stopChildrenOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stopping = true
      for (const child of running) signalGroup(child, 'SIGTERM')
    })
  }
  process.once('exit', () => {
    for (const child of running) signalGroup(child, 'SIGKILL')
  })
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Gone already.
  }
}

function runChild(command: string, args: string[], extraEnv: Record<string, string> = {}): Promise<number | null> {
  if (stopping) return Promise.resolve(null)
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
      env: { ...toolEnvironment(process.env), ...extraEnv },
    })
    running.add(child)
    const done = (code: number | null) => {
      running.delete(child)
      resolve(code)
    }
    child.once('error', (error) => {
      console.error(error.message)
      done(null)
    })
    child.once('exit', done)
  })
}

/** Our own tools and our own Node before those of the system; a home for those who insist on one. */
export function toolEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = [join(ROOT, 'node_modules', '.bin'), env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter)
  return { ...env, PATH: path, HOME: env.HOME || tmpdir() }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // The runner ended before it could write; its exit code says that it failed.
    return null
  }
}
