// The embedded Redis: a private `redis-server` child on a unix socket, with its append-only file in the data directory.
// It belongs to this process alone and ends with it. With REDIS_URL set, nothing here is used.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { canInstallWithApt, installWithApt } from './apt-install.ts'
import { findProgram } from './find-program.ts'
import { startGuarded } from './guarded-child.ts'

/** Our scripts rely on Redis 7.0; Debian's oldest supported release has 7.0.15. */
const LEAST_MAJOR = 7
/** `sun_path` holds 108 bytes with its closing zero. */
const SOCKET_PATH_MAX_BYTES = 107
/** A large append-only file takes a while to load; being silent for this long means that something is wrong. */
const READY_LIMIT_MS = 60_000
const READY_CHECK_MS = 10

export type EmbeddedRedis = {
  socketPath: string
  stop: () => Promise<void>
  /** SIGKILL, as a crash would; for tests. */
  kill: () => Promise<void>
}

export type EmbeddedRedisOptions = {
  dataDir: string
  onProgress?: (line: string) => void
  /** Further settings, such as a memory limit, as for the command line: `['--maxmemory', '64mb']`. */
  settings?: string[]
}

/** The path of a Redis that is new enough. Installs one where that needs no question; else says what to do. */
export async function findRedisServer(onProgress: (line: string) => void = () => {}): Promise<string> {
  const found = await usableRedis()
  if (found.path !== null) return found.path
  if (canInstallWithApt()) {
    await installWithApt(['redis-server'], onProgress)
    const installed = await usableRedis()
    if (installed.path !== null) return installed.path
  }
  throw new Error(
    `${found.problem} Install Redis ${LEAST_MAJOR} or newer (for example "sudo apt install redis-server"), ` +
      'or set REDIS_URL to a running one.',
  )
}

/** Only looks; installs nothing. */
export async function usableRedis(): Promise<{ path: string; problem: null } | { path: null; problem: string }> {
  const path = findProgram(['redis-server'], ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'])
  if (path === null) return { path: null, problem: 'redis-server was not found.' }
  const { stdout } = await promisify(execFile)(path, ['--version'])
  const version = redisVersion(stdout)
  if (version === null || version.major < LEAST_MAJOR) {
    return { path: null, problem: `${path} is version ${version?.text ?? 'unknown'}, which is too old.` }
  }
  return { path, problem: null }
}

export function redisVersion(versionLine: string): { major: number; text: string } | null {
  const match = /\bv=((\d+)\.[\d.]+)/.exec(versionLine)
  return match ? { major: Number(match[2]), text: match[1]! } : null
}

export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const { dataDir, onProgress = () => {}, settings = [] } = options
  const program = await findRedisServer(onProgress)
  const directory = resolve(dataDir, 'redis')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const place = await socketPlace(directory)

  const child = startGuarded({
    command: program,
    args: [...redisArguments(directory, place.socketPath), ...settings],
    ...(place.temporaryDir === null ? {} : { removeAfterwards: place.temporaryDir }),
  })
  try {
    await untilReady(place.socketPath, child.exited)
  } catch (error) {
    await child.stop()
    throw error
  }
  return { socketPath: place.socketPath, stop: child.stop, kill: child.kill }
}

function redisArguments(directory: string, socketPath: string): string[] {
  return [
    ...['--port', '0', '--unixsocket', socketPath, '--unixsocketperm', '700', '--dir', directory],
    ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
    // The log and the read marks are not a cache: a full Redis must refuse, never forget.
    ...['--maxmemory-policy', 'noeviction', '--daemonize', 'no'],
  ]
}

/** Beside the data if the path is short enough, else in a short temporary directory. */
async function socketPlace(directory: string): Promise<{ socketPath: string; temporaryDir: string | null }> {
  const beside = join(directory, 'redis.sock')
  if (Buffer.byteLength(beside) <= SOCKET_PATH_MAX_BYTES) {
    await rm(beside, { force: true })
    return { socketPath: beside, temporaryDir: null }
  }
  const temporaryDir = await mkdtemp(join(tmpdir(), 'sf-redis-'))
  return { socketPath: join(temporaryDir, 's'), temporaryDir }
}

async function untilReady(socketPath: string, exited: Promise<{ output: string }>): Promise<void> {
  let ended: string | null = null
  void exited.then(({ output }) => {
    ended = output
  })
  const tries = READY_LIMIT_MS / READY_CHECK_MS
  for (let attempt = 0; attempt < tries; attempt++) {
    if (ended !== null) throw new Error(`redis-server did not start: ${lastLine(ended)}`)
    if (await answersPing(socketPath)) return
    await wait(READY_CHECK_MS)
  }
  throw new Error(`redis-server gave no answer within ${READY_LIMIT_MS / 1_000} s`)
}

/** True once it answers PONG; while it loads its file it answers an error instead. */
function answersPing(socketPath: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = createConnection(socketPath)
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (answer) => {
      socket.destroy()
      settle(answer.toString().startsWith('+PONG'))
    })
    socket.once('error', () => settle(false))
    socket.once('close', () => settle(false))
  })
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
