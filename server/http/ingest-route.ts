// /api/ingest: tools publish with a key. The key is looked up and counted before anything of the body is read; cookies
// are never looked at, so no other site can misuse a visitor's.
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Store } from 'express-rate-limit'
import type { IngestActivities } from '#server/app/ingest-activities.ts'
import type { StoredKey } from '#server/app/ports.ts'
import type { Stored } from '#server/app/publish-activity.ts'
import { INGEST_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { cloudEventMode, readCloudEvents } from '#server/domain/ingest/cloud-events.ts'
import { bearerToken } from '#server/domain/ingest/key-text.ts'
import { type Reading, readActivities, readJson } from '#server/domain/ingest/read-activities.ts'
import { ingestRateLimit } from '#server/middleware/ingest-rate-limit.ts'
import { idempotencyKey } from '#shared/activity.ts'
import { AppError } from '#shared/errors.ts'
import type { Result } from '#shared/result.ts'
import { contextOf } from './context.ts'

export type IngestDeps = { ingest: IngestActivities; rateLimitStore: (prefix: string) => Store }

export function ingestRoute({ ingest, rateLimitStore }: IngestDeps): Router {
  const route = Router()
  const limit = ingestRateLimit(rateLimitStore)

  route.use(onlyPost)
  route.post('/', lookUp(ingest), limit, needKey, anyBody(INGEST_BODY_MAX_BYTES), async (req, res) => {
    const key = contextOf(res).ingestKey as StoredKey
    const reading = must(readRequest(req, key))
    const stored = await ingest.publish(key, { ...reading, idempotencyKey: headerKey(req) })
    answer(res, stored)
  })
  return route
}

const onlyPost: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') return next()
  res.setHeader('Allow', 'POST')
  throw new AppError('WRONG_METHOD', 'Use POST.')
}

const lookUp =
  (ingest: IngestActivities): RequestHandler =>
  async (req, res, next) => {
    contextOf(res).ingestKey = await ingest.byToken(bearerToken(req.get('authorization')))
    next()
  }

const needKey: RequestHandler = (_req, res, next) => {
  if (contextOf(res).ingestKey) return next()
  res.setHeader('WWW-Authenticate', 'Bearer')
  throw new AppError('BAD_KEY', 'Send a valid API key: Authorization: Bearer sf_…')
}

/** As bytes: what they mean depends on headers, and signatures are made over them. */
export const anyBody = (limit: number): RequestHandler => express.raw({ type: () => true, limit })

function readRequest(req: Request, key: StoredKey): Result<Reading> {
  const mode = cloudEventMode(req.headers)
  const onlyTopic = key.topics.length === 1 ? key.topics[0]! : null
  if (mode) return readCloudEvents(mode, req.headers, () => bodyText(req), onlyTopic)
  if (!req.is(['application/json', '+json']))
    throw new AppError('INVALID_INPUT', 'Send JSON (Content-Type: application/json).', { field: 'Content-Type' })
  return readActivities(must(readJson(bodyText(req))))
}

/** The body as text; Express leaves an object where there was none. */
export function bodyText(req: Request): string {
  if (!Buffer.isBuffer(req.body)) return ''
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(req.body)
  } catch {
    throw new AppError('INVALID_INPUT', 'The body is not UTF-8.', { field: 'body' })
  }
}

function headerKey(req: Request): string | undefined {
  const header = req.get('idempotency-key')
  if (header === undefined) return undefined
  const parsed = idempotencyKey.safeParse(header)
  if (parsed.success) return parsed.data
  const message = parsed.error.issues[0]?.message ?? 'Not valid.'
  throw new AppError('INVALID_INPUT', message, { field: 'Idempotency-Key' })
}

export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new AppError(result.code, result.message, result.field === undefined ? {} : { field: result.field })
}

/** 201 when something is new, 200 when all of it was here before. */
export function answer(res: Response, stored: Stored[]): void {
  res
    .status(stored.every(({ replayed }) => replayed) ? 200 : 201)
    .setHeader('Cache-Control', 'no-store')
    .json({
      activities: stored.map(({ activity: { id, topic, seq, no, publishedAt }, replayed }) => ({
        ...{ id, topic: topic.name, seq, no, publishedAt, replayed },
      })),
    })
}
