// Looks up who is signed in, once per request, and passes on a prolonged cookie.
import type { RequestHandler } from 'express'
import type { Accounts } from '#server/accounts/accounts.ts'
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

export const needSession: RequestHandler = (_req, res, next) => {
  if (!contextOf(res).signedIn) throw new AppError('SIGNED_OUT', 'Sign in first.')
  next()
}
