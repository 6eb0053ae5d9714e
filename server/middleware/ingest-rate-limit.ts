// Requests of tools, counted per key over all processes; those without a valid key per address, so that a mistake of one
// does not shut out the others. Stands after the key was looked up and before the body is read.
import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, type RateLimitInfo, rateLimit, type Store } from 'express-rate-limit'
import { INGEST_PER_MINUTE, INGEST_UNKNOWN_PER_MINUTE } from '#server/config/tuning.ts'
import { contextOf } from '#server/http/context.ts'
import { AppError } from '#shared/errors.ts'

const MINUTE_MS = 60_000

export function ingestRateLimit(store: (prefix: string) => Store): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'key',
    store: store('ingest:'),
    limit: (_req, res) => (keyOf(res as Response) ? INGEST_PER_MINUTE : INGEST_UNKNOWN_PER_MINUTE),
    keyGenerator: (req, res) => {
      const key = keyOf(res as Response)
      return key ? `key:${key.id}` : `address:${ipKeyGenerator(req.ip ?? '')}`
    },
    handler: (req, _res, next) => next(tooMany(req as Request)),
    // express-rate-limit looks for mistakes in how it is used; the keys here are ours, not only addresses.
    validate: { xForwardedForHeader: false, keyGeneratorIpFallback: false },
  }) as RequestHandler
}

const keyOf = (res: Response) => contextOf(res).ingestKey ?? null

function tooMany(req: Request): AppError {
  const info = (req as Request & { rateLimit?: RateLimitInfo }).rateLimit
  const retryAfterSeconds = Math.max(1, Math.ceil(((info?.resetTime?.getTime() ?? 0) - Date.now()) / 1_000))
  const error = new AppError('TOO_MANY', `Too many requests. Wait ${retryAfterSeconds} s, or send several at once.`)
  return Object.assign(error, { retryAfterSeconds })
}
