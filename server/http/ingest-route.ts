// /api/ingest: tools publish with a key. The key is looked up and counted before anything of the body is read; cookies
// are never looked at, so no other site can misuse a visitor's.
import { type Request, type RequestHandler, Router } from 'express'
import type { Store } from 'express-rate-limit'
import type { IngestActivities } from '#server/app/ingest-activities.ts'
import type { StoredKey } from '#server/app/ports.ts'
import { INGEST_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { cloudEventMode, readCloudEvents } from '#server/domain/ingest/cloud-events.ts'
import { bearerToken } from '#server/domain/ingest/key-text.ts'
import { type Reading, readActivities, readJson } from '#server/domain/ingest/read-activities.ts'
import { ingestRateLimit } from '#server/middleware/ingest-rate-limit.ts'
import { idempotencyKey } from '#shared/activity.ts'
import { AppError } from '#shared/errors.ts'
import type { Result } from '#shared/result.ts'
import { answer, anyBody, bodyText, must } from './body-and-answer.ts'
import { contextOf } from './context.ts'
import { githubSteps } from './github-route.ts'

const KEY_HEADER = 'Idempotency-Key'

export type IngestDeps = {
  ingest: IngestActivities
  rateLimitStore: (prefix: string) => Store
  /** Stands first: notes what was asked and how it was answered (note-requests.ts). */
  note: RequestHandler
}

export function ingestRoute({ ingest, rateLimitStore, note }: IngestDeps): Router {
  const route = Router()
  const limit = ingestRateLimit(rateLimitStore)

  route.use(onlyPost, note)
  route.post('/', lookUp(ingest), limit, needKey, anyBody(INGEST_BODY_MAX_BYTES), async (req, res) => {
    const key = contextOf(res).ingestKey as StoredKey
    const reading = must(readRequest(req, key))
    const stored = await ingest.publish(key, { ...reading, idempotencyKey: headerKey(req), keyHeader: KEY_HEADER })
    answer(res, stored)
  })
  route.post('/github/:source', ...githubSteps(ingest, limit))
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

function readRequest(req: Request, key: StoredKey): Result<Reading> {
  const mode = cloudEventMode(req.headers)
  const onlyTopic = key.topics.length === 1 ? key.topics[0]! : null
  if (mode) return readCloudEvents(mode, req.headers, () => bodyText(req), onlyTopic)
  if (!req.is(['application/json', '+json']))
    throw new AppError('INVALID_INPUT', 'Send JSON (Content-Type: application/json).', { field: 'Content-Type' })
  return readActivities(must(readJson(bodyText(req))))
}

function headerKey(req: Request): string | undefined {
  const header = req.get(KEY_HEADER)
  if (header === undefined) return undefined
  const parsed = idempotencyKey.safeParse(header)
  if (parsed.success) return parsed.data
  const message = parsed.error.issues[0]?.message ?? 'Not valid.'
  throw new AppError('INVALID_INPUT', message, { field: KEY_HEADER })
}
