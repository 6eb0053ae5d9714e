// The edge as a child process: the Workers in workerd, through wrangler, with no login and no network. It goes away when
// it is stopped or when we die. What it keeps is under the data directory; settings reach each Worker in a copy of its
// configuration made there, because wrangler hands them to the first Worker only.
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { lockDataDir } from '#server/embedded/data-lock.ts'
import { type GuardedChild, startGuarded } from '#server/embedded/guarded-child.ts'
import { ROOT } from '../repository-files.ts'

/** The first is the door; the others are reached through it. */
export const WORKERS = ['gateway', 'streams', 'subscriptions', 'hub', 'jobs']
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
/** The first start builds the Workers; a busy machine takes its time. */
const READY_LIMIT_MS = 60_000
const READY_CHECK_MS = 100

/** Nothing is sent to anybody, and nothing is asked. */
export const SILENT = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'false',
  NO_UPDATE_NOTIFIER: '1',
}

export type EdgeOptions = {
  port: number
  host?: string
  /** Streams and the copies of the configurations are kept here. */
  directory: string
  vars: Record<string, string>
}

export type Edge = {
  url: string
  exited: GuardedChild['exited']
  output: () => string
  stop: () => Promise<void>
  kill: () => Promise<void>
}

/** Why the edge cannot run on this machine, or null. */
export const edgeObstacle = (): string | null =>
  existsSync(WRANGLER) ? null : 'wrangler is not installed: run "npm install"'

/** Throws DataDirInUse when another edge runs on the directory: two would write the same streams. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const lock = await lockDataDir(options.directory)
  try {
    const edge = await startLocked(options)
    void edge.exited.then(lock.release)
    return edge
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function startLocked(options: EdgeOptions): Promise<Edge> {
  const { port, host = '127.0.0.1', directory, vars } = options
  const configs = await Promise.all(WORKERS.map((name) => writeConfig(name, resolve(directory, 'workers'), { vars })))
  const child = startGuarded({
    command: process.execPath,
    args: [
      ...[WRANGLER, 'dev', ...configs.flatMap((path) => ['-c', path])],
      ...['--ip', host, '--port', String(port), '--inspector-port', '0'],
      ...['--persist-to', resolve(directory, 'state'), '--show-interactive-dev-session=false', '--log-level', 'warn'],
    ],
    cwd: ROOT,
    env: { ...process.env, ...SILENT },
  })
  const url = `http://${host}:${port}`
  await untilReady(url, child)
  return { url, exited: child.exited, output: child.output, stop: child.stop, kill: child.kill }
}

/** A copy of a Worker's configuration with changes; answers where it is. */
export async function writeConfig(name: string, folder: string, changes: Record<string, unknown>): Promise<string> {
  const source = join(ROOT, 'edge', name, 'wrangler.jsonc')
  const config = JSON.parse(await readFile(source, 'utf8')) as { main: string; $schema?: string }
  const path = join(folder, name, 'wrangler.json')
  await mkdir(dirname(path), { recursive: true })
  const { $schema: _, ...settings } = config
  await writeFile(path, JSON.stringify({ ...settings, main: join(dirname(source), config.main), ...changes }), {
    mode: 0o600,
  })
  return path
}

async function untilReady(url: string, child: GuardedChild): Promise<void> {
  let ended = false
  void child.exited.then(() => {
    ended = true
  })
  for (let attempt = 0; attempt < READY_LIMIT_MS / READY_CHECK_MS; attempt++) {
    if (ended) throw new Error(`The edge did not start:\n${child.output()}`)
    if (await isReady(url)) return
    await wait(READY_CHECK_MS)
  }
  await child.kill()
  throw new Error(`The edge was not ready within ${READY_LIMIT_MS / 1_000} s:\n${child.output()}`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}
