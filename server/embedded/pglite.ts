// The embedded Postgres: PGlite in a worker thread, so that queries do not hold up the event loop. The ordinary `pg`
// driver talks to it over a stream of protocol bytes; the rest of the product cannot tell it from a server. It is one
// session, so one connection at a time: a pool over it has `max: 1`. With DATABASE_URL set, nothing here is used.
// It survives a killed process, but never fsyncs: a power cut may lose the last moments.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FromThread, ThreadStart, ToThread } from './pglite-messages.ts'
import { PgliteStream } from './pglite-stream.ts'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/signal-feed', import.meta.url))

export type Pglite = {
  /** One connection, for `new pg.Pool({ max: 1, ssl: false, stream: pglite.connect, … })`. */
  connect: () => Duplex
  /** Writes the whole database, as it is, into one file that `template` takes. */
  dump: (path: string) => Promise<void>
  stop: () => Promise<void>
}

export type PgliteOptions = {
  /** The files are in `postgres` under it; null keeps everything in memory, for tests. */
  dataDir: string | null
  onProgress?: (line: string) => void
  /** A dump to start from when the database does not exist yet. */
  template?: string
}

export async function startPglite(options: PgliteOptions): Promise<Pglite> {
  const { dataDir, onProgress = () => {} } = options
  const place = dataDir === null ? inMemory : onDisk(resolve(dataDir))
  const exists = place.exists()
  const cached = cachedTemplate()
  const template = exists ? null : (options.template ?? (existsSync(cached) ? cached : null))
  const fromNothing = !exists && template === null
  if (fromNothing) onProgress('Creating the database (a few seconds, this once) …')

  if (!exists) place.begin()
  const start: ThreadStart = {
    directory: place.directory,
    template,
    keepTemplateAt: fromNothing && prepared(CACHE) ? cached : null,
  }
  const thread = await runThread(start)
  if (!exists) place.finish()
  return thread
}

/** Made once per version of PGlite: creating from nothing takes 2.6 s and 1 GB, from this file 0.4 s. */
function cachedTemplate(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = createRequire(entry)('../package.json') as { version: string }
  return join(CACHE, `pglite-${version}.tar`)
}

function prepared(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true })
    return true
  } catch {
    // Installed where we may not write: then every creation takes the long way.
    return false
  }
}

const inMemory = { directory: null, exists: () => false, begin: () => {}, finish: () => {} }

/** A note beside the files says that they are still being made; if it is found at a start, they are half made. */
function onDisk(dataDir: string) {
  const directory = join(dataDir, 'postgres')
  const unfinished = join(dataDir, 'postgres.unfinished')
  return {
    directory,
    exists: () => existsSync(join(directory, 'PG_VERSION')) && !existsSync(unfinished),
    begin: () => {
      mkdirSync(dataDir, { recursive: true })
      writeFileSync(unfinished, 'The database beside this file is being created.\n')
      rmSync(directory, { recursive: true, force: true })
    },
    finish: () => rmSync(unfinished, { force: true }),
  }
}

async function runThread(start: ThreadStart): Promise<Pglite> {
  const worker = new Worker(new URL('./pglite-thread.ts', import.meta.url), { workerData: start })
  const post = (message: ToThread) =>
    worker.postMessage(message, message.kind === 'bytes' ? [message.bytes.buffer] : [])

  let current: { id: number; stream: PgliteStream } | null = null
  let lastId = 0
  let ended: Error | null = null
  const waiting = new Map<'ready' | 'dumped', { resolve: () => void; reject: (error: Error) => void }>()
  const wait = (kind: 'ready' | 'dumped') =>
    new Promise<void>((resolve, reject) => waiting.set(kind, { resolve, reject }))

  const fail = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    current?.stream.destroy(error)
  }
  const exited = new Promise<void>((resolve) => {
    worker.once('error', (error) => fail(new Error('The embedded database failed.', { cause: error })))
    worker.once('exit', () => {
      ended ??= new Error('The embedded database has stopped.')
      fail(ended)
      resolve()
    })
  })
  worker.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'bytes':
        if (message.connection === current?.id) current.stream.receive(message.bytes)
        return
      case 'broken':
        if (message.connection === current?.id) current.stream.destroy(new Error(message.message))
        return
      case 'failed':
        fail(new Error(`The embedded database failed: ${message.message}`))
        return
      default:
        waiting.get(message.kind)?.resolve()
        waiting.delete(message.kind)
    }
  })

  const connect = (): PgliteStream => {
    const id = ++lastId
    let first = true
    const stream = new PgliteStream({
      send: (bytes) => {
        if (current?.id !== id) return
        post({ kind: 'bytes', connection: id, first, bytes })
        first = false
      },
      closed: () => {
        if (current?.id === id) current = null
      },
    })
    const refusal = ended ?? (current === null ? null : new Error('The embedded database takes one connection only.'))
    if (refusal !== null) stream.destroy(refusal)
    else current = { id, stream }
    return stream
  }

  const stop = async () => {
    current?.stream.destroy()
    if (ended === null) {
      ended = new Error('The embedded database has stopped.')
      post({ kind: 'stop' })
    }
    await exited
  }

  try {
    await wait('ready')
  } catch (error) {
    await worker.terminate()
    throw error
  }
  return {
    connect,
    dump: async (path) => {
      const dumped = wait('dumped')
      post({ kind: 'dump', path })
      await dumped
    },
    stop,
  }
}
