// A door to the embedded database for our own commands: a second process must never open its files, so it sends its
// statements to the server that has them open. Whoever may enter the data directory may use it, nobody else: the socket
// lies in a folder of its own that only its owner can enter. Each request is one statement; there are no transactions.
import { mkdir, rm } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'

export type Statement = { name?: string; text: string; values?: unknown[] }
export type Answer = { rows: unknown[] }
type Refusal = { message: string; code?: string }

const FOLDER = 'door'
/** What the kernel takes as the path of a socket. */
const SOCKET_PATH_MAX_BYTES = 107

const socketPath = (dataDir: string) => join(dataDir, FOLDER, 'sql.sock')

/** Null when the data directory's path is too long for a socket: commands then ask for the server to be stopped. */
export async function openDoor(
  dataDir: string,
  run: (statement: Statement) => Promise<Answer>,
): Promise<{ close: () => Promise<void> } | null> {
  const path = socketPath(dataDir)
  if (Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES) return null
  // We hold the data directory's lock, so what is left here belongs to a server that was killed.
  await rm(join(dataDir, FOLDER), { recursive: true, force: true })
  await mkdir(join(dataDir, FOLDER), { mode: 0o700 })
  const server = createServer(async (req, res) => {
    const answer = (status: number, body: Answer | Refusal) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    try {
      const { rows } = await run((await json(req)) as Statement)
      answer(200, { rows })
    } catch (error) {
      answer(400, refusalOf(error))
    }
  })
  // A large statement may take longer than a request from a browser ever should.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

function refusalOf(error: unknown): Refusal {
  const { message, code } = error as { message?: unknown; code?: unknown }
  return { message: String(message ?? error), ...(typeof code === 'string' ? { code } : {}) }
}

export type DoorClient = { run: (statement: Statement) => Promise<Answer>; close: () => void }

/** Null when no server has opened a door here. Dates in answers arrive as text. */
export async function knock(dataDir: string): Promise<DoorClient | null> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const run = (statement: Statement) => send(agent, socketPath(dataDir), statement)
  try {
    await run({ text: 'select 1' })
    return { run, close: () => agent.destroy() }
  } catch (error) {
    agent.destroy()
    if (['ENOENT', 'ECONNREFUSED', 'EINVAL'].includes(String((error as { code?: unknown }).code))) return null
    throw error
  }
}

async function send(agent: Agent, path: string, statement: Statement): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ socketPath: path, method: 'POST', path: '/', agent }, resolve)
    sent.once('error', reject)
    sent.end(JSON.stringify(statement))
  })
  const body = await json(response)
  if (response.statusCode === 200) return body as Answer
  const { message, code } = body as Refusal
  throw Object.assign(new Error(message), code === undefined ? {} : { code })
}
