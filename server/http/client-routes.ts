// Gives the browser the client: files by name, and index.html for every other address that a person may open, because the
// client has its own routes. In development Vite answers instead, on the same port, with hot reload.
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { AppError } from '#shared/errors.ts'
import { type ClientFile, loadClientFiles } from './client-files.ts'
import { contextOf } from './context.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const BUILT_CLIENT = `${ROOT}dist/client`
/** Stands in the page for the nonce of the answer; Vite writes it into every tag that needs one. */
export const NONCE_PLACEHOLDER = 'signal-feed-nonce'

export type Client = { routes: RequestHandler; stop: () => Promise<void> }

export async function builtClient(directory = BUILT_CLIENT): Promise<Client> {
  const files = await loadClientFiles(directory)
  const index = files.get('/index.html')
  if (!index) throw new Error(`There is no built client in ${directory}: build it first.`)
  const page = index.plain.toString('utf8')
  const routes = Router()
  routes.use(onlyReading, (req, res) => {
    const file = req.path === '/index.html' ? undefined : files.get(req.path)
    if (file) return sendFile(req, res, file)
    sendPage(req, res, page)
  })
  return { routes, stop: async () => {} }
}

export async function viteClient(server: Server): Promise<Client> {
  // Only development needs Vite, and it is slow to load.
  const { createServer } = await import('vite')
  const vite = await createServer({
    configFile: `${ROOT}vite.config.ts`,
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server } },
    html: { cspNonce: NONCE_PLACEHOLDER },
    clearScreen: false,
    logLevel: 'warn',
  })
  const routes = Router()
  routes.use(vite.middlewares)
  routes.use(onlyReading, async (req, res) => {
    const source = await readFile(`${ROOT}client/index.html`, 'utf8')
    sendPage(req, res, await vite.transformIndexHtml(req.originalUrl, source))
  })
  return { routes, stop: () => vite.close() }
}

const onlyReading: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  res.setHeader('Allow', 'GET, HEAD')
  throw new AppError('WRONG_METHOD', 'Only GET is possible here.')
}

function sendPage(req: Request, res: Response, page: string): void {
  // A missing picture or script must not be answered with a page: the browser would only say that it cannot read it.
  // An address that a person opens says that it wants a page, also when its last part has a dot.
  const wantsFile = /\.[a-z0-9]{1,12}$/i.test(req.path) && !req.get('accept')?.includes('text/html')
  if (wantsFile || !req.accepts('html')) throw new AppError('NOT_FOUND', 'There is no such address.')
  // The nonce is for this one answer.
  res.setHeader('Cache-Control', 'private, no-cache').setHeader('Vary', 'Accept')
  res.type('html').send(page.replaceAll(NONCE_PLACEHOLDER, contextOf(res).nonce))
}

function sendFile(req: Request, res: Response, file: ClientFile): void {
  res.setHeader('Content-Type', file.type)
  res.setHeader('ETag', file.etag)
  res.setHeader('Vary', 'Accept-Encoding')
  res.setHeader(
    'Cache-Control',
    file.immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
  )
  if (req.fresh) return void res.status(304).end()
  const encoding = req.acceptsEncodings('br', 'gzip', 'identity')
  const body = encoding === 'br' ? file.br : encoding === 'gzip' ? file.gzip : null
  if (body && encoding) res.setHeader('Content-Encoding', encoding)
  const sent = body ?? file.plain
  res.setHeader('Content-Length', sent.length)
  res.end(req.method === 'HEAD' ? undefined : sent)
}
