// better-auth on our tables: people, sessions, passwords, one OpenID Connect provider. Only the set-up is here; what may
// be called from outside, the limits and the wording of errors are in account-calls.ts.
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { genericOAuth } from 'better-auth/plugins'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { accounts, sessions, users, verifications } from '#drizzle/schema/accounts.ts'
import type { Env, Oidc } from '#server/config/env.ts'
import {
  PASSWORD_MAX_CHARS,
  PASSWORD_MIN_CHARS,
  SESSION_RENEW_SECONDS,
  SESSION_SECONDS,
} from '#server/config/tuning.ts'
import type { Log } from '#server/telemetry/logger.ts'
import type { Random } from '#shared/clock.ts'
import type { Person } from '#shared/person.ts'
import { handleCandidates, handleFrom } from './handles.ts'

export const OIDC_PROVIDER = 'oidc'
/** Set by us from the connection (or the proxies we trust) on every request; a client's own value is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-signal-feed-client-address'

export type AuthOptions = {
  pool: pg.Pool
  env: Pick<Env, 'publicOrigin' | 'port' | 'oidc'>
  secret: string
  log: Log
  /** Makes what belongs to every person (their own topic). Called again at each sign-in, so it must be repeatable. */
  onPersonCreated: (person: Person) => Promise<void>
  /** Signed out or revoked: whatever the session still has open ends. */
  onSessionEnded: (userId: string, sessionId: string) => Promise<void>
  random: Random
}

export type Auth = ReturnType<typeof createAuth>

export function createAuth({ pool, env, secret, log, onPersonCreated, onSessionEnded, random }: AuthOptions) {
  const secure = env.publicOrigin?.startsWith('https:') ?? false

  // After the commit: a failure leaves a complete account behind, and the next sign-in makes up for it.
  const settle = async (person: Person) => {
    try {
      await onPersonCreated(person)
    } catch (error) {
      log.error({ err: error, personId: person.id }, 'personal topic not made')
    }
  }

  return betterAuth({
    appName: 'Signal Feed',
    basePath: '/api/auth',
    ...(env.publicOrigin ? { baseURL: env.publicOrigin } : {}),
    secret,
    database: drizzleAdapter(drizzle(pool), {
      provider: 'pg',
      usePlural: true,
      transaction: true,
      schema: { users, sessions, accounts, verifications },
    }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_MIN_CHARS,
      maxPasswordLength: PASSWORD_MAX_CHARS,
      // A sign-up then answers the same whether the e-mail is known or not; the browser signs in with a second call.
      autoSignIn: false,
      revokeSessionsOnPasswordReset: true,
    },
    user: {
      additionalFields: {
        handle: { type: 'string', required: true, unique: true },
        role: { type: 'string', required: true, defaultValue: 'member', input: false },
        followsVersion: { type: 'number', required: true, defaultValue: 1, input: false },
      },
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: SESSION_RENEW_SECONDS },
    databaseHooks: {
      user: { create: { after: async (user) => settle(user as unknown as Person) } },
      session: {
        create: {
          after: async (session) => {
            const { rows } = await pool.query<Person>('select id, handle, name from users where id = $1', [
              session.userId,
            ])
            if (rows[0]) await settle(rows[0])
          },
        },
        delete: { after: (session) => onSessionEnded(session.userId, session.id) },
      },
    },
    // Counting is ours (account-calls.ts): it also has to go by account.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Surprises come out of the handler, where they are logged once; otherwise they are printed with their values.
    onAPIError: { throw: true, errorURL: '/sign-in' },
    logger: {
      level: 'error',
      log: (_level, message, ...rest) =>
        log.warn({ detail: message.slice(0, 200), err: rest.find((item) => item instanceof Error) }, 'account library'),
    },
    advanced: {
      useSecureCookies: secure,
      cookiePrefix: cookiePrefix(env),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
    plugins: env.oidc ? [genericOAuth({ config: [oidcProvider(env.oidc, pool, random)] })] : [],
  })
}

/** Cookies know no ports: two copies on one machine would sign each other's people out. */
export const cookiePrefix = ({ publicOrigin, port }: Pick<Env, 'publicOrigin' | 'port'>): string =>
  publicOrigin ? 'signal-feed' : `signal-feed-${port}`

function oidcProvider(oidc: Oidc, pool: pg.Pool, random: Random) {
  return {
    providerId: OIDC_PROVIDER,
    name: oidc.name,
    discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    mapProfileToUser: async (profile: Record<string, unknown>) => {
      const text = (key: string) => (typeof profile[key] === 'string' ? profile[key] : null)
      const base = handleFrom(text('preferred_username'), text('email'), text('name'))
      const name = (text('name') ?? text('preferred_username') ?? base).trim().slice(0, 80) || base
      return { name, handle: await freeHandle(pool, handleCandidates(base, random)) }
    },
  }
}

async function freeHandle(pool: pg.Pool, candidates: string[]): Promise<string> {
  const { rows } = await pool.query<{ handle: string }>('select handle from users where handle = any($1)', [candidates])
  const taken = new Set(rows.map((row) => row.handle))
  return candidates.find((candidate) => !taken.has(candidate)) ?? candidates.at(-1)!
}
