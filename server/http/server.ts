// The listening socket: made with limits for slow senders, closed without cutting answers short.
import { createServer, type RequestListener, type Server } from 'node:http'
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
  STOP_DEADLINE_MS,
  STOP_SWEEP_MS,
} from '#server/config/tuning.ts'

/** Limits are on receiving a request; an answer may stream for as long as it likes. */
export function createHttpServer(listener?: RequestListener): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  })
  server.timeout = 0
  if (listener) server.on('request', listener)
  return server
}

/** Resolves with the port; a taken one gives one clear line. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) =>
      reject(new Error(listenErrorLine(error, port, host), { cause: error }))
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

export function listenErrorLine(error: NodeJS.ErrnoException, port: number, host: string): string {
  if (error.code === 'EADDRINUSE') return `Cannot start: port ${port} is in use. Set PORT to another one.`
  if (error.code === 'EACCES') return `Cannot start: no right to use port ${port}. Set PORT to one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `Cannot start: HOST ${host} is not an address of this machine.`
  return `Cannot start: listening on ${host}:${port} failed (${error.code ?? error.message}).`
}

/**
 * Accepts nothing new, lets running requests end, and cuts what is left at the deadline. Streams must be ended by their
 * owner before, or they are what is left.
 */
export async function closeHttp(server: Server, deadlineMs = STOP_DEADLINE_MS): Promise<void> {
  if (!server.listening) return
  await new Promise<void>((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), STOP_SWEEP_MS)
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(deadline)
      resolve()
    })
    server.closeIdleConnections()
  })
}
