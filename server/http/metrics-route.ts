// GET /metrics. Figures tell how a product is used, so they are not for everybody who can reach the port: with a token,
// for whoever has it; without one, for this machine only, and not for what a proxy on this machine passes on.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { isLoopback } from '#server/config/env.ts'
import { AppError } from '#shared/errors.ts'

export type MetricsRouteDeps = {
  token: string | null
  text: () => Promise<string>
  contentType: string
}

export function metricsRoute({ token, text, contentType }: MetricsRouteDeps): RequestHandler {
  return async (req, res) => {
    if (!(token === null ? isThisMachine(req) : hasToken(req, token))) {
      res.setHeader('WWW-Authenticate', 'Bearer')
      throw new AppError('SIGNED_OUT', 'Figures are for this machine, or for whoever has METRICS_TOKEN.')
    }
    res
      .setHeader('Content-Type', contentType)
      .setHeader('Cache-Control', 'no-store')
      .end(await text())
  }
}

/** The socket's own address: what headers say can be made up. A proxy beside us adds headers that a scraper does not. */
function isThisMachine(req: Request): boolean {
  const passedOn = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => req.headers[name] !== undefined)
  return !passedOn && isLoopback((req.socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
}

/** Digests have one length, and comparing them tells nothing about the texts. */
function hasToken(req: Request, token: string): boolean {
  const given = /^Bearer (.+)$/.exec(req.get('authorization') ?? '')?.[1]
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}
