import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestContext } from '#server/middleware/request-context.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { createMetrics } from '#server/telemetry/metrics.ts'
import { errorHandler } from './answer-error.ts'
import { builtClient, NONCE_PLACEHOLDER } from './client-routes.ts'
import { contextOf } from './context.ts'
import { closeHttp, createHttpServer, listen } from './server.ts'

const PAGE = `<!doctype html><meta property="csp-nonce" nonce="${NONCE_PLACEHOLDER}"><script nonce="${NONCE_PLACEHOLDER}"></script>`
const SCRIPT = `console.log(${JSON.stringify('a'.repeat(2_000))})`
const server = createHttpServer()
let directory: string
let base: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signal-feed-client-'))
  await mkdir(join(directory, 'dist/assets'), { recursive: true })
  await mkdir(join(directory, 'dist/.vite'))
  await writeFile(join(directory, 'dist/index.html'), PAGE)
  await writeFile(join(directory, 'dist/theme.js'), 'void 0')
  await writeFile(join(directory, 'dist/assets/app-1a2b3c.js'), SCRIPT)
  await writeFile(join(directory, 'dist/.vite/manifest.json'), '{}')
  await writeFile(join(directory, 'secret'), 'outside')
  const client = await builtClient(join(directory, 'dist'))
  const app = express()
  app.use(requestContext(createLogger({ mode: 'production', logLevel: 'silent' }), createMetrics()))
  app.use((_req, res, next) => {
    res.setHeader('X-Test-Nonce', contextOf(res).nonce)
    next()
  })
  app.use(client.routes, errorHandler)
  server.on('request', app)
  base = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
})
afterAll(async () => {
  await closeHttp(server, 100)
  await rm(directory, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(base + path, { method, headers })

describe('the built client', () => {
  it('[FEED-21] puts a fresh nonce into the page', async () => {
    const first = await get('/', { accept: 'text/html' })
    const second = await get('/index.html', { accept: 'text/html' })
    const nonce = first.headers.get('x-test-nonce')
    const page = await first.text()
    expect(page).toBe(PAGE.replaceAll(NONCE_PLACEHOLDER, nonce!))
    expect(await second.text()).not.toBe(page)
    expect(first.headers.get('cache-control')).toContain('no-cache')
  })

  it('gives the page to every address of the client, and to nothing else', async () => {
    const html = { accept: 'text/html,*/*' }
    for (const path of ['/t/project/apollo', '/t/release/v1.2', '/settings'])
      expect((await get(path, html)).headers.get('content-type')).toContain('text/html')
    expect((await get('/assets/gone-123.js', { accept: '*/*' })).status).toBe(404)
    expect((await get('/settings', { accept: 'image/png' })).status).toBe(404)
    expect((await get('/', {}, 'POST')).status).toBe(405)
  })

  it('lets browsers keep what is named after its content, and compresses it', async () => {
    const script = await get('/assets/app-1a2b3c.js', { 'accept-encoding': 'br' })
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-encoding')).toBe('br')
    expect(script.headers.get('vary')).toBe('Accept-Encoding')
    expect(await script.text()).toBe(SCRIPT)
    const plain = await get('/assets/app-1a2b3c.js', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(SCRIPT)
    expect((await get('/theme.js')).headers.get('cache-control')).toContain('must-revalidate')
    const etag = (await get('/theme.js')).headers.get('etag')!
    // Without its own word on caching, fetch asks for a full answer.
    const again = await get('/theme.js', { 'if-none-match': etag, 'cache-control': 'max-age=0' })
    expect(again.status).toBe(304)
  })

  it('[FEED-9] never leaves its directory, and keeps the build’s own notes to itself', async () => {
    const { port } = server.address() as AddressInfo
    const { request } = await import('node:http')
    const raw = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ port, host: '127.0.0.1', path, headers: { accept: '*/*' } }, (answer) => {
          answer.resume()
          let text = ''
          answer.on('data', (chunk) => {
            text += chunk
          })
          answer.on('end', () => (text.includes('outside') ? reject(new Error(path)) : resolve(answer.statusCode)))
        }).end()
      })
    for (const path of ['/../secret', '/%2e%2e/secret', '/..%2fsecret', '/assets/../../secret']) await raw(path)
    expect(await raw('/.vite/manifest.json')).toBe(404)
  })

  it('says what is missing when nothing was built', async () => {
    await mkdir(join(directory, 'empty'))
    await expect(builtClient(join(directory, 'empty'))).rejects.toThrow(/build it first/)
  })
})
