// Real processes that are killed, stopped and started again.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { WorkerOrder, WorkerSettings } from './worker-process.ts'

const FILE = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

export type Worker = ReturnType<typeof createWorker>

export function createWorker(settings: WorkerSettings) {
  let child: ChildProcess | null = null
  let ready: Promise<unknown> = Promise.resolve()

  return {
    /** Returns at once; `ready` waits. */
    start(): void {
      if (child) return
      const started = fork(FILE, [JSON.stringify(settings)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: [],
      })
      child = started
      ready = new Promise<void>((resolve, reject) => {
        started.once('message', () => resolve())
        started.once('exit', (code) => {
          if (child !== started) resolve()
          else {
            child = null
            reject(new Error(`a worker ended by itself (${code})`))
          }
        })
      })
      ready.catch(() => {
        // Reported to whoever waits for it.
      })
    },
    ready: () => ready,
    /** Nothing happens while it is dead: a request to a dead process is lost. */
    publish(order: WorkerOrder): void {
      if (child?.connected) child.send(order)
    },
    async kill(): Promise<void> {
      const dying = child
      child = null
      if (!dying || dying.exitCode !== null || dying.signalCode !== null) return
      const gone = once(dying, 'exit')
      dying.kill('SIGKILL')
      await gone
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
  }
}
