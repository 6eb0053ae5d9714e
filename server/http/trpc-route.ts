// /api/trpc: body limit, session, then tRPC itself. Surprises inside procedures are logged here, once.
import type { AnyRouter } from '@trpc/server'
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import express, { type RequestHandler, Router } from 'express'
import type { Accounts } from '#server/accounts/accounts.ts'
import { TRPC_BATCH_MAX, TRPC_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { describeError } from '#server/telemetry/logger.ts'
import type { Metrics } from '#server/telemetry/metrics.ts'
import { createTrpcMetrics } from '#server/telemetry/trpc-metrics.ts'
import type { TrpcContext } from '#server/trpc.ts'
import { AppError } from '#shared/errors.ts'
import { contextOf } from './context.ts'
import { isSurprise, toAppError } from './error-map.ts'
import { jsonOnly } from './json-only.ts'
import { lookUpSession } from './sessions.ts'

export function trpcRoute(
  router: AnyRouter,
  accounts: Pick<Accounts, 'signedInPerson'>,
  polling: RequestHandler[],
  metrics: Pick<Metrics, 'registry'>,
): Router {
  const callEnded = createTrpcMetrics(metrics.registry, Object.keys(router._def.procedures))
  const route = Router()
  route.use((req, res, next) => {
    if (req.method === 'GET' || req.method === 'POST' || req.method === 'HEAD') return next()
    res.setHeader('Allow', 'GET, HEAD, POST')
    throw new AppError('WRONG_METHOD', 'Queries are sent with GET, mutations with POST.')
  })
  route.use(jsonOnly, express.json({ limit: TRPC_BODY_MAX_BYTES }), lookUpSession(accounts), ...polling)
  route.use(
    createExpressMiddleware({
      router,
      maxBatchSize: TRPC_BATCH_MAX,
      createContext: ({ req, res }): TrpcContext => {
        const { requestId, log, signedIn, poll } = contextOf(res)
        return {
          person: signedIn?.person ?? null,
          loginSession: signedIn?.sessionId ?? null,
          requestId,
          log,
          callEnded,
          countedPoll: poll ?? false,
          idempotencyKey: req.get('Idempotency-Key'),
        }
      },
      responseMeta: () => ({ headers: { 'cache-control': 'no-store' } }),
      onError: ({ error, path, ctx }) => {
        const known = toAppError(error)
        if (isSurprise(known)) ctx?.log.error({ err: known.cause ?? known, call: path }, 'call failed')
        else if (known.code === 'UNAVAILABLE')
          ctx?.log.warn({ cause: describeError(known.cause).message, call: path }, 'not available')
      },
    }),
  )
  return route
}
