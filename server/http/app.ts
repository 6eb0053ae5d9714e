// The HTTP side of a server process, in reading order: what every request gets, the machine's own pages, accounts, the
// API, the stream, and the client for everything else. It decides nothing about the feed.
import type { AnyRouter } from '@trpc/server'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import type { Accounts } from '#server/accounts/accounts.ts'
import type { Env } from '#server/config/env.ts'
import type { KnownSession, KnownSessions } from '#server/live/known-sessions.ts'
import { checkOrigin } from '#server/middleware/check-origin.ts'
import { requestContext } from '#server/middleware/request-context.ts'
import { securityHeaders } from '#server/middleware/security-headers.ts'
import type { Log } from '#server/telemetry/logger.ts'
import type { Metrics } from '#server/telemetry/metrics.ts'
import { AppError } from '#shared/errors.ts'
import { errorHandler } from './answer-error.ts'
import { authRoute } from './auth-route.ts'
import { healthRoutes, type Readiness } from './health-routes.ts'
import { metricsRoute } from './metrics-route.ts'
import { recognise } from './sessions.ts'
import { trpcRoute } from './trpc-route.ts'

export type LiveHandler = (req: Request, res: Response, session: KnownSession) => void | Promise<void>

export type HttpDeps = {
  env: Pick<Env, 'publicOrigin' | 'edgePublicUrl' | 'trustProxyHops'>
  log: Log
  metrics: Metrics
  accounts: Accounts
  router: AnyRouter
  live: LiveHandler
  knownSessions: KnownSessions
  /** Recognises, counts and tags polls (middleware/polling-rate-limit.ts). */
  polling: RequestHandler[]
  /** What tools send (ingest-route.ts). */
  ingest: RequestHandler
  /** What the job partitions ask us to send (egress-route.ts). */
  egress: RequestHandler
  readiness: () => Promise<Readiness>
  /** Left out: figures are for this machine only. */
  metricsToken?: string | null
  /** The figures of all processes behind the port; left out, this process's own. */
  metricsText?: () => Promise<string>
  /** The built client or Vite (client-routes.ts). */
  client: RequestHandler
}

export function createHttpApp(deps: HttpDeps): Express {
  const { env, log, metrics, accounts } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', env.trustProxyHops)
  // Flat and without surprises: `a[b]=1` is a parameter named `a[b]`.
  app.set('query parser', 'simple')

  app.use(requestContext(log, metrics))
  app.use(securityHeaders(env))
  app.use(healthRoutes(deps.readiness))
  app.get(
    '/metrics',
    metricsRoute({
      token: deps.metricsToken ?? null,
      text: deps.metricsText ?? (() => metrics.registry.metrics()),
      contentType: metrics.registry.contentType,
    }),
  )
  app.use(answerOptions)
  // Before the check of origin: tools have none, and nothing here looks at cookies.
  app.use('/api/ingest', deps.ingest)
  app.use('/api/edge/egress', deps.egress)
  app.use(checkOrigin(env.publicOrigin))

  app.use('/api/auth', authRoute(accounts, env.publicOrigin))
  app.use('/api/trpc', trpcRoute(deps.router, accounts, deps.polling, metrics))
  app.use('/api/events/activities', only('GET'), async (req, res) => {
    await deps.live(req, res, await recognise(req, res, accounts, deps.knownSessions))
  })
  app.use('/api', () => {
    throw new AppError('NOT_FOUND', 'There is no such address.')
  })

  app.use(deps.client)
  app.use(errorHandler)
  return app
}

/** Only our own pages call us, so no other site is ever told that it may. */
const answerOptions: RequestHandler = (req, res, next) => {
  if (req.method !== 'OPTIONS') return next()
  res.setHeader('Allow', req.path.startsWith('/api/') ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS')
  res.status(204).end()
}

const only =
  (method: string): RequestHandler =>
  (req, res, next) => {
    if (req.method === method) return next()
    res.setHeader('Allow', method)
    throw new AppError('WRONG_METHOD', `Use ${method}.`)
  }
