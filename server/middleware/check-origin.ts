// Refuses state-changing requests that another site may have started with a visitor's cookies. better-auth has its own
// check, tRPC has none; this one stands in front of both.
import type { RequestHandler } from 'express'
import { AppError } from '#shared/errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A page of another site cannot set a header of its own without asking us first, and we never agree. */
export const CUSTOM_HEADER = 'x-requested-with'

export type OriginFacts = {
  method: string
  origin: string | undefined
  fetchSite: string | undefined
  hasCookie: boolean
  hasCustomHeader: boolean
  ownOrigin: string
}

export type OriginVerdict = 'ok' | 'foreign' | 'unsaid'

export function judgeOrigin(facts: OriginFacts): OriginVerdict {
  if (SAFE_METHODS.has(facts.method)) return 'ok'
  // Written by the browser, not by the page: `same-site` is also somebody else (another port, a sibling domain).
  if (facts.fetchSite === 'cross-site' || facts.fetchSite === 'same-site') return 'foreign'
  if (facts.origin !== undefined) return facts.origin === facts.ownOrigin ? 'ok' : 'foreign'
  if (facts.fetchSite === 'same-origin') return 'ok'
  // No browser says so little about itself. Without a cookie there is nothing to misuse.
  return facts.hasCustomHeader || !facts.hasCookie ? 'ok' : 'unsaid'
}

export function checkOrigin(publicOrigin: string | null): RequestHandler {
  return (req, _res, next) => {
    const verdict = judgeOrigin({
      method: req.method,
      origin: req.get('origin'),
      fetchSite: req.get('sec-fetch-site'),
      hasCookie: req.get('cookie') !== undefined,
      hasCustomHeader: req.get(CUSTOM_HEADER) !== undefined,
      ownOrigin: publicOrigin ?? `${req.protocol}://${req.get('host')}`,
    })
    if (verdict === 'foreign') throw new AppError('BAD_ORIGIN', 'This request came from another site.')
    if (verdict === 'unsaid')
      throw new AppError('BAD_ORIGIN', `Without Origin, a request with a cookie needs the header ${CUSTOM_HEADER}.`)
    next()
  }
}
