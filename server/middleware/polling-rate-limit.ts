// Polls that do work: recognised however they are written, counted per session and per person over all processes, tagged
// so that the next one can be answered from memory. A feed call with `since` that did not come through here is refused
// by the procedure itself, so there is no way around.
import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, type RateLimitInfo, rateLimit, type Store } from 'express-rate-limit'
import { POLLS_PER_MINUTE, POLLS_PER_MINUTE_LIVE, POLLS_PER_MINUTE_PERSON } from '#server/config/tuning.ts'
import { contextOf } from '#server/http/context.ts'
import { toTrpcEnvelope } from '#server/http/error-map.ts'
import { AppError } from '#shared/errors.ts'
import { readPolls } from './read-polls.ts'

const SSE_ENDPOINT = '/api/events/activities'
const MINUTE_MS = 60_000

export type PollingDeps = {
  store: (prefix: string) => Store
  /** Whether the person holds a live connection: known to the server, never taken from the request. */
  isLive: (userId: string) => Promise<boolean>
  /** Learns the person's state, and gives its tag and the Set-Cookie for the next poll. */
  learn: (userId: string, sessionId: string) => Promise<{ tag: string | null; setCookie: string }>
}

export function pollingRateLimit({ store, isLive, learn }: PollingDeps): RequestHandler[] {
  const limit = async (_req: Request, res: Response) => {
    const { signedIn } = contextOf(res)
    if (!signedIn) return POLLS_PER_MINUTE
    // Without Redis nobody is known to be live.
    const live = await isLive(signedIn.person.id).catch(() => false)
    return live ? POLLS_PER_MINUTE_LIVE : POLLS_PER_MINUTE
  }
  const common = {
    windowMs: MINUTE_MS,
    standardHeaders: 'draft-8' as const,
    legacyHeaders: false,
    skip: (_req: Request, res: Response) => !contextOf(res).poll,
    handler: refuse,
    // express-rate-limit looks for mistakes in how it is used; the keys here are ours, not addresses.
    validate: { xForwardedForHeader: false, keyGeneratorIpFallback: false },
  }
  const perSession = rateLimit({
    ...common,
    identifier: 'session',
    store: store('polls:session:'),
    limit,
    keyGenerator: (req, res) => contextOf(res as Response).signedIn?.sessionId ?? ipKeyGenerator(req.ip ?? ''),
  })
  const perPerson = rateLimit({
    ...common,
    identifier: 'person',
    store: store('polls:person:'),
    limit: POLLS_PER_MINUTE_PERSON,
    keyGenerator: (req, res) => contextOf(res as Response).signedIn?.person.id ?? ipKeyGenerator(req.ip ?? ''),
  })
  return [recognise, perSession as RequestHandler, perPerson as RequestHandler, tag(learn)]
}

const recognise: RequestHandler = (req, res, next) => {
  const { polls, calls } = readPolls(req.url)
  if (polls > 0 && calls > 1)
    throw new AppError('INVALID_INPUT', 'A poll travels alone: send it outside of a batch.', { field: 'batch' })
  contextOf(res).poll = polls > 0
  next()
}

const tag =
  (learn: PollingDeps['learn']): RequestHandler =>
  async (req, res, next) => {
    const { poll, signedIn } = contextOf(res)
    if (!poll || !signedIn) return next()
    const { tag, setCookie } = await learn(signedIn.person.id, signedIn.sessionId)
    res.appendHeader('Set-Cookie', setCookie)
    if (tag === null) return next()
    res.setHeader('ETag', tag)
    if (req.get('If-None-Match') !== tag) return next()
    res.status(304).setHeader('Cache-Control', 'private, no-cache').end()
  }

function refuse(req: Request, res: Response): void {
  const info = (req as Request & { rateLimit?: RateLimitInfo }).rateLimit
  const retryAfter = Math.max(1, Math.ceil(((info?.resetTime?.getTime() ?? 0) - Date.now()) / 1_000))
  const message = `Too many polls. Wait ${retryAfter} s, or open the live stream.`
  const { body } = toTrpcEnvelope(new AppError('TOO_MANY', message), contextOf(res).requestId)
  res.setHeader('Retry-After', String(retryAfter))
  res
    .status(429)
    .setHeader('Cache-Control', 'no-store')
    .json({ ...body, message, retryAfter, sseEndpoint: SSE_ENDPOINT })
}
