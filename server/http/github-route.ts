// /api/ingest/github/:source: what GitHub's webhooks send. A body counts once its signature was found right; until then it
// is only bytes. An unknown source costs the same work as a wrong signature.
import type { Request, RequestHandler, Response } from 'express'
import type { IngestActivities } from '#server/app/ingest-activities.ts'
import { GITHUB_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { mapGithubEvent } from '#server/domain/ingest/github/map-github-event.ts'
import { readJson } from '#server/domain/ingest/read-activities.ts'
import { idempotencyKey } from '#shared/activity.ts'
import { AppError } from '#shared/errors.ts'
import { answer, anyBody, bodyText, must } from './body-and-answer.ts'
import { contextOf } from './context.ts'

const DELIVERY = 'X-GitHub-Delivery'
const SIGNATURE = /^sha256=[0-9a-f]{64}$/

export function githubSteps(ingest: IngestActivities, limit: RequestHandler): RequestHandler[] {
  const lookUp: RequestHandler = async (req, res, next) => {
    contextOf(res).ingestKey = await ingest.bySource(String(req.params.source))
    next()
  }
  /** Without anything that could be a signature there is no reason to read 25 MB. */
  const needSignature: RequestHandler = (req, res, next) => {
    if (!SIGNATURE.test(signatureOf(req))) throw refused(res)
    next()
  }
  const take: RequestHandler = async (req, res) => {
    const key = contextOf(res).ingestKey ?? null
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
    if (!ingest.isSigned(key, body, signatureOf(req)) || !key) throw refused(res)
    const event = header(req, 'X-GitHub-Event')
    const delivery = header(req, DELIVERY)
    res.setHeader('Cache-Control', 'no-store')
    const payload = must(readJson(payloadText(req)))
    contextOf(res).answerNote = event
    if (event === 'ping') return void res.json({ activities: [] })
    const mapped = must(mapGithubEvent(event, payload))
    if (!mapped) return void res.status(202).json({ activities: [], ignored: event })
    // Without its topic, a source is refused like one whose owner may not publish there any more.
    const inputs = [{ ...mapped.input, topic: key.topics[0] ?? '' }]
    const { actorName } = mapped
    answer(
      res,
      await ingest.publish(key, { inputs, many: false, idempotencyKey: delivery, keyHeader: DELIVERY, actorName }),
    )
  }
  return [lookUp, limit, needSignature, anyBody(GITHUB_BODY_MAX_BYTES), take]
}

const signatureOf = (req: Request): string => req.get('x-hub-signature-256') ?? ''

const refused = (res: Response): AppError =>
  contextOf(res).ingestKey
    ? new AppError('BAD_KEY', 'The signature is missing or wrong.', { field: 'X-Hub-Signature-256' })
    : new AppError('NOT_FOUND', 'There is no such source.')

/** Both are short printable words, like idempotency keys. */
function header(req: Request, name: string): string {
  const parsed = idempotencyKey.safeParse(req.get(name))
  if (parsed.success) return parsed.data
  throw new AppError('INVALID_INPUT', 'This header is missing or not valid.', { field: name })
}

/** GitHub sends JSON, or a form with the JSON in one of its fields, as the webhook is set up. */
function payloadText(req: Request): string {
  const text = bodyText(req)
  return req.is('application/x-www-form-urlencoded') ? (new URLSearchParams(text).get('payload') ?? '') : text
}
