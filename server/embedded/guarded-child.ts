// Runs a server program that must not outlive us. A small `sh` stands between: it holds the reading end of a pipe whose
// writing end only we have, so however we die, SIGKILL included, it sees the end of the pipe and stops the program.
// Guard and program are a process group of their own: Ctrl-C in the terminal reaches us first, and we decide the order.
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

// $1: signal that asks the program to stop · $2: directory to remove afterwards, or empty · rest: the program.
const GUARD = `
signal=$1; cleanup=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( read -r _ <&3; kill -"$signal" "$child" 2>/dev/null ) &
watcher=$!
exec 3<&-
wait "$child"; code=$?
kill "$watcher" 2>/dev/null
if [ -n "$cleanup" ]; then rm -rf "$cleanup"; fi
exit "$code"
`

/** Enough of what the program said to explain why it failed. */
const KEPT_OUTPUT_CHARS = 8_000
/** A database that has not stopped by then is not going to: take it down with its whole group. */
const STOP_LIMIT_MS = 15_000

export type GuardedChild = {
  /** The process group of guard and program. */
  groupId: number
  /** Settles when the program has ended, for whatever reason. */
  exited: Promise<{ code: number | null; output: string }>
  output: () => string
  /** Asks politely, waits, and uses force only after a long wait. */
  stop: () => Promise<void>
  /** SIGKILL to the group at once; for tests that want a crash. */
  kill: () => Promise<void>
}

export type GuardedChildOptions = {
  command: string
  args: string[]
  stopSignal?: 'TERM' | 'INT' | 'QUIT'
  /** Removed once the program has ended. */
  removeAfterwards?: string
  cwd?: string
  env?: NodeJS.ProcessEnv
  user?: { uid: number; gid: number }
  onOutput?: (text: string) => void
}

export function startGuarded(options: GuardedChildOptions): GuardedChild {
  const { command, args, stopSignal = 'TERM', removeAfterwards = '', cwd, env, user, onOutput } = options
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', stopSignal, removeAfterwards, command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...user,
  })

  let kept = ''
  const keep = (chunk: Buffer) => {
    const text = chunk.toString()
    kept = (kept + text).slice(-KEPT_OUTPUT_CHARS)
    onOutput?.(text)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  // The guard may be gone before our last write to it; its exit tells us all we need.
  child.stdin.on('error', () => {})

  const exited = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('exit', (code) => resolve({ code, output: kept }))
  })

  const signalGroup = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Already gone between the check and the signal.
    }
  }
  const hold = (method: 'ref' | 'unref') => {
    child[method]()
    for (const stream of [child.stdin, child.stdout, child.stderr]) refStream(stream, method)
  }
  // An idle guard must not keep our process alive; when we end by ourselves, it ends with us.
  hold('unref')

  return {
    groupId: child.pid ?? -1,
    exited,
    output: () => kept,
    stop: async () => {
      hold('ref')
      child.stdin.end()
      const force = setTimeout(signalGroup, STOP_LIMIT_MS)
      await exited
      clearTimeout(force)
    },
    kill: async () => {
      hold('ref')
      signalGroup()
      await exited
    },
  }
}

/** Pipes of a child process are sockets, although their types do not say so. */
function refStream(stream: Readable | NodeJS.WritableStream, method: 'ref' | 'unref'): void {
  const socket = stream as { ref?: () => void; unref?: () => void }
  socket[method]?.()
}
