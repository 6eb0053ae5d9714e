// /api/auth: reads the request (JSON only), lets accounts/ answer, and writes the answer.
import express, { type Request, type Response, Router } from 'express'
import type { Accounts } from '#server/accounts/accounts.ts'
import { CLIENT_ADDRESS_HEADER } from '#server/accounts/auth.ts'
import { AUTH_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { AppError } from '#shared/errors.ts'
import { jsonOnly } from './json-only.ts'

export function authRoute(accounts: Accounts, publicOrigin: string | null): Router {
  const route = Router()
  route.use(jsonOnly, express.json({ limit: AUTH_BODY_MAX_BYTES }))
  route.use(async (req, res) => {
    const url = `${publicOrigin ?? `${req.protocol}://${req.get('host')}`}${req.originalUrl}`
    if (!URL.canParse(url)) throw new AppError('INVALID_INPUT', 'The request could not be read.', { field: 'host' })
    const clientAddress = req.ip ?? 'unknown'
    const answer = await accounts.call({
      // A HEAD is a GET whose body nobody reads.
      method: req.method === 'HEAD' ? 'GET' : req.method,
      path: req.path,
      url,
      headers: forwardedHeaders(req, clientAddress),
      body: req.body,
      clientAddress,
    })
    await send(res, answer)
  })
  return route
}

/** Hop-by-hop and length headers describe the body as it arrived, not as it is passed on. */
const NOT_PASSED_ON = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
  'expect',
  'te',
])

function forwardedHeaders(req: Request, clientAddress: string): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers))
    if (typeof value === 'string' && !NOT_PASSED_ON.has(name)) headers.set(name, value)
  headers.set(CLIENT_ADDRESS_HEADER, clientAddress.replace(/%.*$/, ''))
  return headers
}

async function send(res: Response, answer: globalThis.Response): Promise<void> {
  res.status(answer.status)
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') res.setHeader(name, value)
  const cookies = answer.headers.getSetCookie()
  if (cookies.length > 0) res.setHeader('Set-Cookie', cookies)
  res.setHeader('Cache-Control', 'no-store')
  res.end(Buffer.from(await answer.arrayBuffer()))
}
