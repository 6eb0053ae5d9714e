// The last stop of every error: one answer in the shape that the route's clients read, and one log line if it was a surprise.
import type { ErrorRequestHandler, Response } from 'express'
import { describeError } from '#server/telemetry/logger.ts'
import { ERRORS } from '#shared/errors.ts'
import { contextOf } from './context.ts'
import { errorBody, isSurprise, toAppError, toTrpcEnvelope } from './error-map.ts'

export function answerError(res: Response, path: string, error: unknown): void {
  const { requestId, log } = contextOf(res)
  const known = toAppError(error)
  if (isSurprise(known)) log.error({ err: known.cause ?? known }, 'request failed')
  else if (known.code === 'UNAVAILABLE') log.warn({ cause: describeError(known.cause).message }, 'not available')
  // Too late to say anything: the client sees a cut answer, which is the truth.
  if (res.headersSent) {
    res.destroy()
    return
  }
  const status = ERRORS[known.code].status
  if ('retryAfterSeconds' in known) res.setHeader('Retry-After', String(known.retryAfterSeconds))
  res.status(status).setHeader('Cache-Control', 'no-store')
  const body = errorBody(known, requestId)
  contextOf(res).answerNote = body.field ? `${body.field}: ${body.message}` : body.message
  // tRPC clients unpack an envelope of their own.
  res.json(path.startsWith('/api/trpc') ? toTrpcEnvelope(known, requestId).body : { error: body })
}

export const errorHandler: ErrorRequestHandler = (error, req, res, _next) => {
  answerError(res, req.originalUrl, error)
}
