// The face of this folder: who is signed in, and the account calls of the outside.
import type { IncomingHttpHeaders } from 'node:http'
import { fromNodeHeaders } from 'better-auth/node'
import type { Env } from '#server/config/env.ts'
import type { Clock } from '#shared/clock.ts'
import { type Me, role } from '#shared/person.ts'
import { type AccountCall, createAccountCalls } from './account-calls.ts'
import { createAttempts, noLimits } from './attempts.ts'
import { type Auth, type AuthOptions, cookiePrefix, createAuth } from './auth.ts'
import { createSessionLookup } from './session-lookup.ts'

export type SignedIn = {
  person: Me
  sessionId: string
  /** Cookies to send along when the session was prolonged. */
  setCookie: string[]
}

export type Accounts = {
  auth: Auth
  /** The value of the session cookie, unchecked. */
  sessionToken: (headers: IncomingHttpHeaders) => string | null
  signedInPerson: (headers: IncomingHttpHeaders) => Promise<SignedIn | null>
  call: (call: AccountCall) => Promise<Response>
}

export type AccountsOptions = Omit<AuthOptions, 'env'> & {
  env: Pick<Env, 'publicOrigin' | 'port' | 'oidc' | 'authThrottle'>
  clock: Clock
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { pool, env, clock, random } = options
  const auth = createAuth(options)
  const cookiePattern = new RegExp(`(?:^|; ?)(?:__Secure-)?${cookiePrefix(env)}\\.session_token=([^;]+)`)
  const attempts = env.authThrottle ? createAttempts(pool, clock, random) : noLimits
  const sessionToken = ({ cookie }: IncomingHttpHeaders) => cookiePattern.exec(cookie ?? '')?.[1] ?? null
  const lookUp = createSessionLookup(options)
  return {
    auth,
    sessionToken,
    call: createAccountCalls({ auth, pool, attempts }),
    async signedInPerson(headers) {
      const token = sessionToken(headers)
      if (token === null) return null
      const found = await lookUp(token)
      if (found) return { ...found, setCookie: [] }
      const { response, headers: answer } = await auth.api.getSession({
        headers: fromNodeHeaders(headers),
        returnHeaders: true,
      })
      if (!response) return null
      const { user, session } = response
      const person: Me = {
        id: user.id,
        handle: user.handle,
        name: user.name,
        email: user.email,
        role: role.parse(user.role),
        followsVersion: user.followsVersion,
      }
      return { person, sessionId: session.id, setCookie: answer.getSetCookie() }
    },
  }
}
