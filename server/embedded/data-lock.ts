// One process per data directory: a second PGlite on the same files opens them without complaint and destroys them.
// The lock is a listening socket, which the kernel gives up with the process however it ends, so no stale lock can
// remain. On Linux it is an abstract one: no file, no race between two starters over a leftover.
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class DataDirInUse extends Error {
  constructor(dataDir: string, holder: string | null) {
    const who = holder === null ? 'another copy of Signal Feed' : `another copy of Signal Feed (process ${holder})`
    super(`The data directory ${dataDir} is in use by ${who}. Stop it, or set DATA_DIR to another directory.`)
    this.name = 'DataDirInUse'
  }
}

export type DataLock = { release: () => Promise<void> }

/** Creates the directory when it is missing. Throws DataDirInUse when somebody else holds it. */
export async function lockDataDir(dataDir: string): Promise<DataLock> {
  mkdirSync(dataDir, { recursive: true })
  const directory = realpathSync(dataDir)
  const address = lockAddress(directory)
  let server = await tryListen(address)
  if (server === null) {
    const holder = await askHolder(address)
    if (holder.alive || address.startsWith('\0')) throw new DataDirInUse(directory, holder.pid)
    // Only where abstract sockets are missing: the file of a holder that was killed.
    rmSync(address, { force: true })
    server = await tryListen(address)
    if (server === null) throw new DataDirInUse(directory, null)
  }
  const held = server
  return { release: () => new Promise((resolve) => held.close(() => resolve())) }
}

function lockAddress(directory: string): string {
  const name = `signal-feed-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`)
}

/** Null when the address is taken. */
function tryListen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    // Whoever finds the directory locked learns by whom.
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.end(String(process.pid))
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    server.listen(address, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** A holder whose event loop is busy may take a moment to answer; that it accepts the connection is enough to know. */
const HOLDER_ANSWER_MS = 1_000

function askHolder(address: string): Promise<{ alive: boolean; pid: string | null }> {
  return new Promise((resolve) => {
    let alive = false
    let pid = ''
    const socket = createConnection(address)
    socket.setTimeout(HOLDER_ANSWER_MS, () => socket.destroy())
    socket.once('connect', () => {
      alive = true
    })
    socket.on('data', (chunk) => {
      pid += chunk.toString()
    })
    socket.once('error', () => {})
    socket.once('close', () => resolve({ alive, pid: /^\d+$/.test(pid) ? pid : null }))
  })
}
