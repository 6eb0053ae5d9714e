// One of our commands as a person runs it: `npm run dev` in a process group of its own, like a terminal's. For tests of
// starting and stopping; whatever it leaves behind can be listed.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { ROOT } from '../repository-files.ts'

export type Command = {
  output: () => string
  /** Resolves with the first match in what it has printed; fails when it ends without one. */
  printed: (pattern: RegExp) => Promise<RegExpMatchArray>
  exited: Promise<{ code: number | null }>
  /** As Ctrl-C does: to npm and to everything that it runs in this terminal. */
  interrupt: () => void
  /** The group's processes and all that they started, found by the data directory in their environment. */
  processes: () => LeftProcess[]
}

export type LeftProcess = { pid: number; command: string }

export function runCommand(
  script: 'dev' | 'start' | 'edge',
  env: Record<string, string> & { DATA_DIR: string },
): Command {
  const child = spawn('npm', ['run', script], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Never the developer's own servers, whatever the shell or .env names.
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', NODE_ENV: '', VITEST: '', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  // `close` comes after the last output, `exit` may come before it.
  const exited = new Promise<{ code: number | null }>((resolve) => child.once('close', (code) => resolve({ code })))
  return {
    output: () => output,
    printed: (pattern) => untilPrinted(child, () => output, pattern),
    exited,
    interrupt: () => process.kill(-child.pid!, 'SIGINT'),
    processes: () => processesWith(`DATA_DIR=${env.DATA_DIR}`),
  }
}

function untilPrinted(child: ChildProcess, output: () => string, pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(output())
      if (match) resolve(match)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('close', () => reject(new Error(`It ended without printing ${pattern}:\n${output()}`)))
    look()
  })
}

/** Linux only; elsewhere a process does not show its environment this way. */
function processesWith(variable: string): LeftProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0')
        if (!variables.includes(variable)) return []
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        // What has ended but not been collected has neither.
        return command === '' ? [] : [{ pid: Number(name), command }]
      } catch {
        // It ended while we looked, or belongs to somebody else.
        return []
      }
    })
}
