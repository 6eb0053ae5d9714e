// A private Postgres server from the system's binaries, for tests and benchmarks: its own temporary directory, a free
// port on the loopback address, gone when it is stopped or when we die.
import { execFile } from 'node:child_process'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type GuardedChild, startGuarded } from '#server/embedded/guarded-child.ts'
import { findPostgres } from './programs.ts'

const READY_LIMIT_MS = 60_000
const READY_CHECK_MS = 25
/** Another process may take the free port between our look and the server's start. */
const PORT_ATTEMPTS = 3

export type PostgresServer = {
  /** Of the database `postgres`, as superuser; put another database's name as the path for others. */
  url: string
  stop: () => Promise<void>
  /** SIGKILL to all its processes; for tests of crashes. */
  kill: () => Promise<void>
}

export type PostgresOptions = {
  /** True writes safely to disk, as in production; tests do not need that and are faster without. */
  fsync?: boolean
  /** Further settings: `{ shared_buffers: '1GB' }`. */
  settings?: Record<string, string>
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt++) {
    const started = await startOnce(options)
    if ('server' in started) return started.server
    if (attempt === PORT_ATTEMPTS || !started.problem.includes('could not bind')) throw new Error(started.problem)
  }
}

async function startOnce(options: PostgresOptions): Promise<{ server: PostgresServer } | { problem: string }> {
  const { fsync = false, settings = {} } = options
  const binaries = findPostgres()
  const user = await serverUser()
  const directory = await mkdtemp(join(tmpdir(), 'sf-postgres-'))
  if (user) await chown(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  try {
    await promisify(execFile)(join(binaries, 'initdb'), initdb, { cwd: directory, ...user })
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
  const port = await freePort()
  const all = { ...serverSettings(fsync), ...settings, port: String(port), unix_socket_directories: directory }
  const child = startGuarded({
    command: join(binaries, 'postgres'),
    args: ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A fast shutdown: the polite one would wait for every client to leave.
    stopSignal: 'INT',
    removeAfterwards: directory,
    cwd: directory,
    ...(user ? { user } : {}),
  })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const problem = await untilReady(url, child)
  if (problem !== null) return { problem }
  const kill = async () => {
    await child.kill()
    await rm(directory, { recursive: true, force: true })
  }
  return { server: { url, stop: child.stop, kill } }
}

function serverSettings(fsync: boolean): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    max_connections: '200',
    ...(fsync ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
}

/** Postgres refuses to run as root. */
async function serverUser(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const entry = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  if (!entry)
    throw new Error('Postgres does not run as root, and there is no user "postgres" or "nobody" to run it as.')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** Null once it answers, else what it said before it ended. */
async function untilReady(url: string, child: GuardedChild): Promise<string | null> {
  let ended = false
  void child.exited.then(() => {
    ended = true
  })
  for (let attempt = 0; attempt < READY_LIMIT_MS / READY_CHECK_MS; attempt++) {
    if (ended) return `Postgres did not start: ${child.output().trim()}`
    if (await answers(url)) return null
    await wait(READY_CHECK_MS)
  }
  await child.kill()
  return `Postgres gave no answer within ${READY_LIMIT_MS / 1_000} s: ${child.output().trim()}`
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  // A connection that is cut while the server still starts is reported by `connect` as well.
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    // It never connected: there is nothing to end.
    await client.end().catch(() => {})
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
