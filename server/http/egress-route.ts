// POST /api/edge/egress: the job partitions say that it is time for a try (docs/JOBS.md). Only they can: the token is
// signed with the key that the edge and we share, and is good for this alone.
import express, { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { SendWebhooks } from '#server/app/send-webhooks.ts'
import { bearerToken } from '#server/domain/ingest/key-text.ts'
import { AppError } from '#shared/errors.ts'
import { jsonOnly } from './json-only.ts'

const BODY_MAX_BYTES = 100_000

const call = z.object({
  type: z.literal('webhook'),
  payload: z.strictObject({ delivery: z.int().positive(), run: z.int().positive() }),
})

export type EgressDeps = {
  attempt: SendWebhooks['attempt']
  /** Whether the edge signed it for us, and it has not ended. */
  isFromEdge: (token: string) => Promise<boolean>
}

export function egressRoute({ attempt, isFromEdge }: EgressDeps): Router {
  const route = Router()
  const onlyTheEdge: RequestHandler = async (req, res, next) => {
    const token = bearerToken(req.get('authorization'))
    if (token !== null && (await isFromEdge(token))) return next()
    res.setHeader('WWW-Authenticate', 'Bearer')
    throw new AppError('BAD_KEY', 'This is for the edge.')
  }
  route.post('/', onlyTheEdge, jsonOnly, express.json({ limit: BODY_MAX_BYTES }), async (req, res) => {
    const { payload } = call.parse(req.body)
    res.setHeader('Cache-Control', 'no-store').json(await attempt(payload))
  })
  return route
}
