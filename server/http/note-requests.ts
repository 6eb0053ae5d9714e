// Notes what tools asked, for the live log of whoever their keys belong to. Only requests with a known key or source are
// anybody's; the note is written when the answer is out, and nobody waits for it.
import type { RequestHandler } from 'express'
import type { RequestLog } from '#server/app/ports.ts'
import { contextOf } from './context.ts'

type Deps = { requests: Pick<RequestLog, 'note'>; onError: (error: unknown) => void }

export const noteRequests =
  ({ requests, onError }: Deps): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now()
    const path = req.originalUrl.split('?', 1)[0]!.slice(0, 120)
    res.once('close', () => {
      const { ingestKey: key, requestId, answerNote } = contextOf(res)
      if (!key) return
      const tookMs = Math.round(performance.now() - startedAt)
      requests
        .note(key.ownerId, {
          ...{ id: requestId, at: Date.now(), method: req.method, path, status: res.statusCode, tookMs },
          ...{ key: key.source, note: answerNote ?? '' },
        })
        .catch(onError)
    })
    next()
  }
