// The thread of the embedded Postgres: takes protocol bytes, answers protocol bytes, strictly in order. There is one
// session for ever, whichever connection speaks, so what the last connection left behind is cleared away when the next
// one opens: an unfinished transaction, prepared statements, locks, settings.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { FromThread, ThreadStart, ToThread } from './pglite-messages.ts'

/** Ends an extended query that was cut in the middle; harmless otherwise. */
const SYNC = new Uint8Array([0x53, 0, 0, 0, 4])

if (parentPort === null) throw new Error('pglite-thread.ts runs as a worker thread only')
const port = parentPort

function send(message: FromThread): void {
  port.postMessage(message, message.kind === 'bytes' ? [message.bytes.buffer] : [])
}

async function open({ directory, template, keepTemplateAt }: ThreadStart): Promise<PGlite> {
  const db = await PGlite.create({
    ...(directory === null ? {} : { dataDir: directory }),
    ...(template === null ? {} : { loadDataDir: new Blob([await readFile(template)]) }),
  })
  if (keepTemplateAt !== null) {
    // Only saves time at the next creation: a read-only or full disk is no reason not to start.
    await dump(db, keepTemplateAt).catch(() => {})
  }
  return db
}

async function dump(db: PGlite, path: string): Promise<void> {
  const archive = await db.dumpDataDir('none')
  // Written aside and renamed, so that nobody ever reads half of it.
  const unfinished = `${path}.${process.pid}`
  try {
    await writeFile(unfinished, new Uint8Array(await archive.arrayBuffer()))
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}

async function clearSession(db: PGlite): Promise<void> {
  await db.execProtocolRaw(SYNC)
  if (db.isInTransaction()) await db.exec('rollback')
  await db.exec('discard all')
}

async function handle(db: PGlite, message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'bytes': {
      const { connection, first, bytes } = message
      try {
        if (first) await clearSession(db)
        const answer = await db.execProtocolRaw(bytes)
        if (answer.length > 0) send({ kind: 'bytes', connection, bytes: new Uint8Array(answer) })
      } catch (error) {
        send({ kind: 'broken', connection, message: textOf(error) })
      }
      return
    }
    case 'dump':
      await dump(db, message.path)
      send({ kind: 'dumped' })
      return
    case 'stop':
      await db.close()
      // Nothing listens any more, so the thread ends by itself.
      port.close()
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

try {
  const db = await open(workerData as ThreadStart)
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: ToThread) => {
    last = last.then(() => handle(db, message)).catch((error) => send({ kind: 'failed', message: textOf(error) }))
  })
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'failed', message: textOf(error) })
}
