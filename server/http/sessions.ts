// Looks up who is signed in, once per request, and passes on a prolonged cookie.
import type { Request, RequestHandler, Response } from 'express'
import type { Accounts } from '#server/accounts/accounts.ts'
import type { KnownSession, KnownSessions } from '#server/live/known-sessions.ts'
import { AppError } from '#shared/errors.ts'
import { contextOf } from './context.ts'

export function lookUpSession(accounts: Pick<Accounts, 'signedInPerson'>): RequestHandler {
  return async (req, res, next) => {
    const signedIn = await accounts.signedInPerson(req.headers)
    contextOf(res).signedIn = signedIn
    if (signedIn && signedIn.setCookie.length > 0) res.setHeader('Set-Cookie', signedIn.setCookie)
    next()
  }
}

/** For streams: whoever was just here is recognised from memory, so that a herd does not meet the database. */
export async function recognise(
  req: Request,
  res: Response,
  accounts: Pick<Accounts, 'signedInPerson' | 'sessionToken'>,
  known: KnownSessions,
): Promise<KnownSession> {
  const token = accounts.sessionToken(req.headers)
  const session = token === null ? null : known.get(token)
  if (session) return session
  const signedIn = await accounts.signedInPerson(req.headers)
  if (!signedIn) throw new AppError('SIGNED_OUT', 'Sign in first.')
  if (signedIn.setCookie.length > 0) res.setHeader('Set-Cookie', signedIn.setCookie)
  const found = { userId: signedIn.person.id, sessionId: signedIn.sessionId }
  if (token !== null) known.learn(token, found)
  return found
}
