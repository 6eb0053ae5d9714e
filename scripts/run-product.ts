// Runs the product in this process until it is asked to stop. Ctrl-C and SIGTERM stop everything in order; asked again,
// or when the order takes too long, it ends at once, and what it has started ends with it. What a person can put right
// is said in one line.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EnvError, type Mode } from '#server/config/env.ts'
import { DataDirInUse } from '#server/embedded/data-lock.ts'
import { progress } from './progress.ts'
import { ROOT } from './repository-files.ts'

/** Longer than open requests are waited for; shorter than what process managers give before they kill. */
const STOP_LIMIT_MS = 20_000
/** Within this time a second signal is the first one's echo. */
const ECHO_MS = 1_000
/** How the one line begins; an error of the server's may be that line already. */
const SAID = 'Cannot start: '
/** A server that is not there, or does not let us in: of the network, and Postgres's own. */
const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'],
  ...['28000', '28P01', '3D000'],
])

type Companion = { environment: Record<string, string>; stop: () => Promise<void> }
type StartCompanion = (environment: NodeJS.ProcessEnv, say: (line: string) => void) => Promise<Companion>

/** A companion starts before the product and stops with it. */
export async function runProduct(mode: Mode, startCompanion?: StartCompanion): Promise<void> {
  const signalled = stopSignal()
  const settings = join(ROOT, '.env')
  // What is set outside wins over the file.
  if (existsSync(settings)) process.loadEnvFile(settings)
  try {
    // Loaded only now, so that Ctrl-C works from the first moment on.
    const { runProcesses } = await import('#server/cluster.ts')
    const companion = await startCompanion?.(process.env, progress)
    const server = await Promise.race([
      runProcesses({ mode, environment: { ...process.env, ...companion?.environment }, say: progress }),
      signalled.then(() => null),
    ])
    if (server === null) return process.exit(0)
    await signalled
    progress('Stopping …')
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref()
    await Promise.all([server.stop(), companion?.stop()])
    process.exit(0)
  } catch (error) {
    console.error(startFailure(error))
    process.exit(1)
  }
}

/** Resolves at the first signal; a second one ends the process. npm passes on what the terminal has sent us already. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (askedAt !== null && performance.now() - askedAt > ECHO_MS) process.exit(1)
        askedAt ??= performance.now()
        resolve()
      })
    }
  })
}

/** One line for what the reader can change; the whole stack for what only we can. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message.startsWith(SAID)) return error.message
  if (error instanceof EnvError || error instanceof DataDirInUse) return `${SAID}${error.message}`
  if (UNREACHABLE.has((error as NodeJS.ErrnoException).code ?? ''))
    return `${SAID}${error.message}. Check DATABASE_URL and REDIS_URL.`
  return isForPeople(error) ? `${SAID}${error.message}` : (error.stack ?? error.message)
}

/** Our own messages about programs that are missing or will not start. */
const isForPeople = (error: Error): boolean =>
  /^(redis-server |\/\S*redis-server |apt-get |The client )/.test(error.message)
